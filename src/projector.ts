import { setMaxListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { decoder } from './domain/decode.ts';
import { eventDefinitions } from './domain/index.ts';
import { START, type EventStore, type Position, type RecordedEvent } from './event-store/port.ts';
import { applyEvent, UnitOfWork, type Projection } from './projection.ts';
import type { ReadModelStore } from './read-models/port.ts';

/** Where a projection stands. */
export interface ProjectionStatus {
  readonly name: string;
  readonly version: number;
  readonly position: Position;
  readonly errors: number;
  /** Undefined while all is well. */
  readonly lastError: string | undefined;
}

export interface Projector {
  status(): readonly ProjectionStatus[];
  /** Whether every projection has reached what was the head when the projector started. */
  isCaughtUp(): boolean;
  /** Waits until the named projections have reached a position; false when they have not in time. */
  reached(names: readonly string[], position: Position, milliseconds: number): Promise<boolean>;
  /** Resolves after the next batch, or when the signal is aborted. */
  next(signal: AbortSignal): Promise<void>;
  /** Finishes the batch in hand. */
  stop(): Promise<void>;
}

export interface ProjectorOptions {
  readonly eventStore: EventStore;
  readonly readModels: ReadModelStore;
  readonly projections: readonly Projection[];
  readonly onError: (projection: string, error: unknown) => void;
  readonly batchSize?: number;
  readonly retryAfterMs?: { readonly least: number; readonly most: number };
}

interface Member {
  readonly projection: Projection;
  position: Position;
  /** The id of the log's first event, once there is one. */
  log: string | undefined;
  errors: number;
  lastError: string | undefined;
}

const decode = decoder(eventDefinitions);

/** Folds events into a projection's documents and stores them with the checkpoint. */
export const applyBatch = async (
  readModels: ReadModelStore,
  projection: Projection,
  batch: readonly RecordedEvent[],
  log: string,
): Promise<void> => {
  const last = batch.at(-1);
  if (!last) return;
  const documents = new UnitOfWork(readModels);
  for (const recorded of batch) {
    if (!(recorded.type in projection.handlers)) continue;
    const event = decode(recorded);
    if (event) await applyEvent(projection, event, recorded.position, documents);
  }
  await readModels.commit(projection, documents.writes(projection.collections), {
    position: last.position,
    log,
  });
};

/**
 * Keeps projections up to date: all that stand at the same place share one subscription. One that fails leaves the
 * others alone and tries again by itself, from its checkpoint, until it succeeds.
 */
export const startProjector = async (options: ProjectorOptions): Promise<Projector> => {
  const { eventStore, readModels, projections, onError, batchSize = 500 } = options;
  const { least, most } = options.retryAfterMs ?? { least: 100, most: 10_000 };
  const stopping = new AbortController();
  const { signal } = stopping;
  // Every projection may be waiting by itself.
  setMaxListeners(0, signal);
  const waiting = new Set<() => void>();
  const target = await eventStore.head();

  const firstEvent = async () => (await eventStore.readAll(START, 1))[0]?.id;

  const join = async (projection: Projection): Promise<Member> => {
    const log = await firstEvent();
    let checkpoint = await readModels.prepare(projection);
    // A checkpoint of another log, or of one that has lost its end, says nothing about this one.
    if (checkpoint && (checkpoint.log !== log || checkpoint.position > target)) {
      await readModels.reset(projection);
      checkpoint = undefined;
    }
    return { projection, position: checkpoint?.position ?? START, log, errors: 0, lastError: undefined };
  };
  const members = await Promise.all(projections.map(join));

  const advance = async (member: Member, batch: readonly RecordedEvent[]): Promise<void> => {
    const fresh = batch.filter(({ position }) => position > member.position);
    const last = fresh.at(-1);
    if (!last) return;
    member.log ??= await firstEvent();
    if (member.log === undefined) throw new Error('The log has events and no first one');
    await applyBatch(readModels, member.projection, fresh, member.log);
    member.position = last.position;
    member.lastError = undefined;
    for (const wake of waiting) wake();
  };

  const failed = (member: Member, error: unknown) => {
    member.errors++;
    member.lastError = error instanceof Error ? error.message : String(error);
    onError(member.projection.name, error);
  };

  /** Follows the log for some projections until stopped; resolves early when none of them is left. */
  const follow = async (group: readonly Member[], leave: (member: Member) => void): Promise<void> => {
    let going = [...group];
    const after = going.map(({ position }) => position).sort()[0] ?? START;
    for await (const batch of eventStore.subscribe(after, { batchSize, signal })) {
      const outcomes = await Promise.allSettled(going.map((member) => advance(member, batch)));
      going = going.filter((member, index) => {
        const outcome = outcomes[index];
        if (outcome?.status !== 'rejected') return true;
        failed(member, outcome.reason);
        leave(member);
        return false;
      });
      if (going.length === 0) return;
    }
  };

  const running = new Set<Promise<void>>();
  const keepFollowing = (group: readonly Member[], attempt = 0): void => {
    const run = async () => {
      const left: Member[] = [];
      const before = group.map(({ position }) => position).join();
      try {
        if (attempt > 0)
          await delay(Math.min(most, least * 2 ** (attempt - 1)) * (0.5 + Math.random()), undefined, {
            signal,
          });
        await follow(group, (member) => {
          left.push(member);
          const isProgress = before !== group.map(({ position }) => position).join();
          keepFollowing([member], isProgress ? 1 : attempt + 1);
        });
      } catch (error) {
        if (signal.aborted) return;
        const stranded = group.filter((member) => !left.includes(member));
        for (const member of stranded) failed(member, error);
        keepFollowing(stranded, attempt + 1);
      }
    };
    const task = run().finally(() => running.delete(task));
    running.add(task);
  };
  keepFollowing(members);

  const statuses = () =>
    members.map(({ projection: { name, version }, position, errors, lastError }) => ({
      name,
      version,
      position,
      errors,
      lastError,
    }));

  return {
    status: statuses,
    isCaughtUp: () => members.every(({ position }) => position >= target),
    reached: (names, position, milliseconds) => {
      const isThere = () =>
        members.every((member) => !names.includes(member.projection.name) || member.position >= position);
      return new Promise((resolve) => {
        if (isThere()) {
          resolve(true);
          return;
        }
        const settle = (answer: boolean) => {
          clearTimeout(timer);
          waiting.delete(check);
          resolve(answer);
        };
        const check = () => {
          if (isThere()) settle(true);
        };
        const timer = setTimeout(() => settle(isThere()), milliseconds);
        waiting.add(check);
      });
    },
    next: (abort) =>
      new Promise((resolve) => {
        const wake = () => {
          waiting.delete(wake);
          abort.removeEventListener('abort', wake);
          resolve();
        };
        if (abort.aborted) {
          wake();
          return;
        }
        waiting.add(wake);
        abort.addEventListener('abort', wake);
      }),
    async stop() {
      stopping.abort();
      while (running.size > 0) await Promise.all(running);
    },
  };
};
