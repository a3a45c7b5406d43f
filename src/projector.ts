import { setMaxListeners } from 'node:events';
import { setImmediate, setTimeout as delay } from 'node:timers/promises';
import { allSettled } from './all-settled.ts';
import { START, type EventBatch, type EventStore, type Position } from './event-store/port.ts';
import { createFold, toFoldable, type Fold, type FoldableEvent } from './fold.ts';
import { keepLeases } from './projector-leases.ts';
import { categoriesWith, typesFolded, type Projection } from './projection.ts';
import { createProgress, type Progress } from './projector-progress.ts';
import type { ReadModelStore } from './read-models/port.ts';

export interface Projector extends Progress {
  /** Whether every projection has reached what was the head when the projector started. */
  isCaughtUp(): boolean;
  /** Finishes the batch in hand. */
  stop(): Promise<void>;
}

export interface ProjectorOptions {
  readonly eventStore: Pick<EventStore, 'subscribe' | 'readStreams' | 'readAll' | 'head' | 'holds'>;
  readonly readModels: ReadModelStore;
  readonly projections: readonly Projection[];
  readonly onError: (projection: string, error: unknown) => void;
  readonly batchSize?: number;
  /** How many documents of a projection may wait to be stored while there is more to fold. */
  readonly mostWaiting?: number;
  readonly retryAfterMs?: { readonly least: number; readonly most: number };
}

/** A projection that this process keeps up to date. */
interface Member {
  readonly projection: Projection;
  fold: Fold;
  /** The checkpoint. */
  position: Position;
  /** The id of the log's first event, once there is one. */
  log: string | undefined;
  errors: number;
  lastError: string | undefined;
  /** After a failure each batch is stored by itself, so that what came before the faulty one is kept. */
  isCareful: boolean;
}

/**
 * Keeps projections up to date: all that stand at the same place share one subscription. While there is more to fold,
 * documents are stored when many have changed, each once; at the end of the log at once. A projection that fails leaves
 * the others alone and tries again by itself, from its checkpoint, until it succeeds. Where several processes share the
 * read models, only those are folded whose lease this one has.
 */
export const startProjector = async (options: ProjectorOptions): Promise<Projector> => {
  const { eventStore, readModels, projections, onError, batchSize = 500, mostWaiting = 4_000 } = options;
  const { least, most } = options.retryAfterMs ?? { least: 100, most: 10_000 };
  const stopping = new AbortController();
  const { signal } = stopping;
  // Every projection may be waiting by itself.
  setMaxListeners(0, signal);
  const target = await eventStore.head();
  const members = new Map<string, Member>();
  const leases = readModels.leases && keepLeases(readModels.leases, projections, onError);

  const { progress, changed } = createProgress(() =>
    projections.map(({ name, version }) => {
      const { position, errors = 0, lastError } = members.get(name) ?? {};
      const lease = leases?.statusOf(name);
      const at = position ?? lease?.position ?? START;
      return { name, version, position: at, errors, lastError, ...(lease && { lease }) };
    }),
  );

  let first: string | undefined;
  const firstEvent = async () => (first ??= (await eventStore.readAll(START, 1))[0]?.id);

  const join = async (projection: Projection): Promise<Member> => {
    const log = await firstEvent();
    let checkpoint = await readModels.prepare(projection);
    // A checkpoint of another log, or of one that has lost its end, says nothing about this one.
    if (checkpoint && (checkpoint.log !== log || !(await eventStore.holds(checkpoint.position)))) {
      await readModels.reset(projection);
      checkpoint = undefined;
    }
    const position = checkpoint?.position ?? START;
    const fold = createFold(readModels, projection, position);
    return { projection, fold, position, log, errors: 0, lastError: undefined, isCareful: false };
  };

  /** False once the lease was lost, whoever has it now. */
  const isActive = (member: Member): boolean => members.get(member.projection.name) === member;

  const commit = async (member: Member): Promise<void> => {
    const { fold } = member;
    if (fold.position() === member.position && fold.waiting() === 0) return;
    member.log ??= await firstEvent();
    if (member.log === undefined) throw new Error('The log has events and no first one');
    await fold.commit(member.log, () => isActive(member));
  };

  let flushing: Promise<void> | undefined;
  /** One for all that commit in the same turn. */
  const flush = (): Promise<void> =>
    (flushing ??= setImmediate().then(() => {
      flushing = undefined;
      return readModels.flush();
    }));

  /** Commits what a member has folded, and says so when others can see it. */
  const publish = async (member: Member): Promise<void> => {
    await commit(member);
    await member.fold.settled();
    await flush();
    member.position = member.fold.position();
    member.lastError = undefined;
    changed();
  };

  const advance = async (
    member: Member,
    events: readonly FoldableEvent[],
    { position, isLast }: EventBatch,
  ): Promise<void> => {
    await member.fold.add(events, position);
    if (isLast || member.isCareful) await publish(member);
    else if (member.fold.waiting() >= mostWaiting) await commit(member);
    if (isLast) member.isCareful = false;
  };

  const failed = (member: Member, error: unknown) => {
    const { fold, projection, position } = member;
    member.fold = createFold(readModels, projection, position, fold.settled());
    member.errors++;
    member.isCareful = true;
    member.lastError = error instanceof Error ? error.message : String(error);
    onError(projection.name, error);
    changed();
  };

  type Each = (act: (member: Member) => Promise<void>) => Promise<boolean>;
  const isFresh = ({ position, errors }: Member) => position === START && errors === 0;
  const typesOf = (group: readonly Member[]) => typesFolded(group.map(({ projection }) => projection));

  /** Has the members that start from nothing fold what there is stream by stream: each document is then made once. */
  const build = async (group: readonly Member[], each: Each): Promise<void> => {
    const types = typesOf(group.filter(isFresh));
    if (!eventStore.readStreams || target === START || types.length === 0) return;
    const read = { categories: categoriesWith(types), types, upTo: target, batchSize };
    for await (const batch of eventStore.readStreams(read)) {
      const events = batch.map(toFoldable);
      const isAnyLeft = await each(async (member) => {
        if (!isFresh(member)) return;
        await member.fold.build(events, target);
        if (member.fold.waiting() >= mostWaiting) await commit(member);
      });
      if (signal.aborted || !isAnyLeft) return;
    }
    await each(async (member) => {
      if (!isFresh(member)) return;
      member.fold.built(target);
      await publish(member);
    });
  };

  /** Follows the log for some projections until stopped; resolves early when none of them is left. */
  const follow = async (group: readonly Member[], leave: (member: Member) => void): Promise<void> => {
    let going = [...group];
    /** Does something for each, and lets those go that fail at it; tells whether any are left. */
    const each: Each = async (act) => {
      going = going.filter(isActive);
      const outcomes = await Promise.allSettled(going.map(act));
      going = going.filter((member, index) => {
        const outcome = outcomes[index];
        if (outcome?.status !== 'rejected') return true;
        failed(member, outcome.reason);
        leave(member);
        return false;
      });
      return going.length > 0;
    };
    // What a failed attempt has built is of no use.
    await each(async (member) => {
      const { fold, projection, position, errors } = member;
      await fold.settled();
      if (position === START && errors > 0 && isActive(member)) await readModels.reset(projection);
    });
    await build(going, each);
    if (going.length === 0) return;
    const after = going.map(({ position }) => position).sort()[0] ?? START;
    const types = typesOf(going);
    for await (const batch of eventStore.subscribe(after, { batchSize, signal, types })) {
      const events = batch.events.map(toFoldable);
      if (!(await each((member) => advance(member, events, batch)))) return;
    }
    await each(publish);
  };

  const running = new Set<Promise<void>>();
  const track = (task: Promise<void>): void => {
    const tracked = task.finally(() => running.delete(tracked));
    running.add(tracked);
  };
  const keepFollowing = (group: readonly Member[], attempt = 0): void => {
    const run = async () => {
      const left: Member[] = [];
      const before = group.map(({ position }) => position).join();
      try {
        const pause = Math.min(most, least * 2 ** (attempt - 1)) * (0.5 + Math.random());
        if (attempt > 0) await delay(pause, undefined, { signal });
        await follow(group.filter(isActive), (member) => {
          left.push(member);
          const isProgress = before !== group.map(({ position }) => position).join();
          keepFollowing([member], isProgress ? 1 : attempt + 1);
        });
      } catch (error) {
        if (signal.aborted) return;
        const stranded = group.filter((member) => isActive(member) && !left.includes(member));
        for (const member of stranded) failed(member, error);
        keepFollowing(stranded, attempt + 1);
      }
    };
    track(run());
  };

  const begin = async (some: readonly Projection[]): Promise<void> => {
    const group = await allSettled(some.map(join));
    for (const member of group) members.set(member.projection.name, member);
    keepFollowing(group);
  };
  if (leases)
    track(
      leases.run({
        begin,
        end: (name) => members.delete(name),
        isActive: (name) => members.has(name),
        changed,
        signal,
      }),
    );
  else await begin(projections);

  return {
    ...progress,
    isCaughtUp: () =>
      leases?.isKnown() !== false && progress.status().every(({ position }) => position >= target),
    async stop() {
      stopping.abort();
      while (running.size > 0) await Promise.all(running);
      await leases?.release();
    },
  };
};
