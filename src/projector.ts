import { setMaxListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { allSettled } from './all-settled.ts';
import type { QuarantineRecords } from './builds/quarantine.ts';
import { START, type EventStore, type Position, type Revision } from './event-store/port.ts';
import { follow } from './projector-follow.ts';
import { keepLeases } from './projector-leases.ts';
import { createMembers, type Member, type Wanted } from './projector-member.ts';
import { createProgress, type MemberStatus, type Progress } from './projector-progress.ts';
import type { Projection } from './projection.ts';
import type { ReadModelStore } from './read-models/port.ts';

export interface Projector extends Progress<MemberStatus> {
  /** Whether every projection has reached what was the head when the projector started. */
  isCaughtUp(): boolean;
  /**
   * Has these kept up to date from now on, and no others; those that are already, as they are wanted now. Where no leases are
   * needed they have begun when it resolves.
   */
  keep(wanted: readonly Wanted[]): Promise<void>;
  /** Folds what a stream of a projection has waited with, from a revision on. */
  release(projection: string, stream: string, from: Revision): Promise<void>;
  /** Finishes the batch in hand. */
  stop(): Promise<void>;
}

export interface ProjectorOptions {
  readonly eventStore: Pick<
    EventStore,
    'subscribe' | 'readStream' | 'readStreams' | 'readAll' | 'head' | 'holds'
  >;
  readonly readModels: ReadModelStore;
  /** To begin with. */
  readonly projections: readonly Projection[];
  readonly onError: (projection: string, error: unknown) => void;
  /** Left out: an event that cannot be folded stops its projection, which tries again and again. */
  readonly quarantine?: QuarantineRecords;
  readonly batchSize?: number;
  /** How many documents of all projections may wait to be stored while there is more to fold. */
  readonly mostWaiting?: number;
  /** How long they may wait, so that what is folded slowly is not lost with the process. */
  readonly storeEveryMs?: number;
  readonly retryAfterMs?: { readonly least: number; readonly most: number };
}

/**
 * Keeps projections up to date: those that begin together share one subscription. While there is more to fold,
 * documents are stored when many have changed, each once; at the end of the log at once. A projection that fails leaves
 * the others alone and tries again by itself, from its checkpoint, until it succeeds. Where several processes share the
 * read models, only those are folded whose lease this one has.
 */
export const startProjector = async (options: ProjectorOptions): Promise<Projector> => {
  const { eventStore, readModels, batchSize = 500, mostWaiting = 16_000, storeEveryMs = 10_000 } = options;
  const { least, most } = options.retryAfterMs ?? { least: 100, most: 10_000 };
  const stopping = new AbortController();
  const { signal } = stopping;
  // Every projection may be waiting by itself.
  setMaxListeners(0, signal);
  const target = await eventStore.head();
  let wanted: readonly Wanted[] = options.projections.map((projection) => ({ projection }));
  const active = new Map<string, Member>();
  const wantedNamed = (name: string) => wanted.find(({ projection }) => projection.name === name);
  /** That one is let go of in the middle of a batch is no failure. */
  const onError: ProjectorOptions['onError'] = (name, error) => {
    if (wantedNamed(name)) options.onError(name, error);
  };

  const { progress, changed } = createProgress(() =>
    wanted.map(({ projection: { name, version } }) => {
      const member = active.get(name);
      const { position, seen = 0, errors = 0, lastError, stopped, waiting } = member ?? {};
      const lease = leases.statusOf(name);
      const at = position ?? lease?.position ?? START;
      return {
        name,
        version,
        position: at,
        seen,
        folded: member?.fold.position() ?? at,
        isHere: member !== undefined,
        stopped,
        errors,
        lastError,
        ...(waiting && waiting.size > 0 && { waitingStreams: waiting.size }),
        ...(lease && { lease }),
      };
    }),
  );
  const isActive = (member: Member): boolean => active.get(member.projection.name) === member;
  const wantedOf = (member: Wanted): Wanted => wantedNamed(member.projection.name) ?? member;
  const isFull = (): boolean =>
    [...active.values()].reduce((sum, { fold }) => sum + fold.waiting(), 0) >= mostWaiting;
  const { quarantine } = options;
  const members = createMembers({
    eventStore,
    readModels,
    isFull,
    storeEveryMs,
    isActive,
    wantedOf,
    changed,
    onError,
    quarantine,
  });
  const following = { eventStore, readModels, members, isActive, wantedOf, batchSize, signal };

  const running = new Set<Promise<void>>();
  const track = (task: Promise<void>): void => {
    const tracked = task.finally(() => running.delete(tracked));
    running.add(tracked);
  };
  const positionsOf = (group: readonly Member[]): string =>
    group.map(({ position }): Position => position).join();
  const keepFollowing = (group: readonly Member[], attempt = 0): void => {
    const run = async () => {
      const left: Member[] = [];
      const before = positionsOf(group);
      try {
        const pause = Math.min(most, least * 2 ** (attempt - 1)) * (0.5 + Math.random());
        if (attempt > 0) await delay(pause, undefined, { signal });
        const leave = (member: Member) => {
          left.push(member);
          keepFollowing([member], before === positionsOf(group) ? attempt + 1 : 1);
        };
        await follow(group.filter(isActive), leave, following);
      } catch (error) {
        if (signal.aborted) return;
        const stranded = group.filter((member) => isActive(member) && !left.includes(member));
        for (const member of stranded) members.failed(member, error);
        keepFollowing(stranded, attempt + 1);
      }
    };
    track(run());
  };

  const leases = keepLeases(readModels.leases, {
    wanted: () => wanted,
    active,
    async begin(some) {
      const joining = some.map(members.join);
      const outcomes = await Promise.allSettled(joining);
      const group = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
      for (const member of group) active.set(member.projection.name, member);
      for (const isApart of [false, true]) {
        const together = group.filter((member) => (member.isApart ?? false) === isApart);
        if (together.length > 0) keepFollowing(together);
      }
      // Those that have begun are not held up by one that cannot.
      await allSettled(joining);
    },
    end: (name) => active.delete(name),
    changed,
    onError: options.onError,
    signal,
  });
  await leases.now();
  track(leases.run());

  return {
    ...progress,
    isCaughtUp: () => leases.isKnown() && progress.status().every(({ position }) => position >= target),
    async keep(next) {
      wanted = next;
      await leases.now();
      changed();
    },
    async release(projection, stream, from) {
      const member = active.get(projection);
      if (member) await members.release(member, stream, from);
    },
    async stop() {
      stopping.abort();
      while (running.size > 0) await Promise.all(running);
      await leases.release();
    },
  };
};
