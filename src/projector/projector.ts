import { setMaxListeners } from 'node:events';
import { availableParallelism } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { allSettled } from '../lib/all-settled.ts';
import type { Release } from '../build-registry/build.ts';
import { START, type EventStore, type Position } from '../event-store/port.ts';
import { follow } from './follow.ts';
import { groupApplierHere, type ApplyGroups } from './apply-groups.ts';
import { keepLeases, PATIENCE, type Patience } from './leases.ts';
import { createMembers, type Member, type Wanted } from './member.ts';
import { createProgress, type MemberStatus, type Progress } from './progress.ts';
import type { Projection } from './projection.ts';
import { toParkedAt, type ReadModelStore } from '../read-models/port.ts';

export interface Projector extends Progress<MemberStatus> {
  /** Whether every projection has reached what was the head when the projector started. */
  isCaughtUp(): boolean;
  /**
   * Has these kept up to date from now on, and no others; those that are already, as they are wanted now. Where no leases are
   * needed they have begun when it resolves.
   */
  keep(wanted: readonly Wanted[]): Promise<void>;
  /** Applies what waits in a parked stream of a projection, once for each release. */
  release(projection: string, release: Release): Promise<void>;
  /** Finishes the batch in hand. */
  stop(): Promise<void>;
}

export interface ProjectorOptions {
  readonly eventStore: Pick<EventStore, 'subscribe' | 'readStream' | 'readGroups' | 'recordAt' | 'head'>;
  readonly readModels: ReadModelStore;
  /** To begin with. */
  readonly projections: readonly Projection[];
  readonly onError: (projection: string, error: unknown) => void;
  /** The time now, RFC 3339; left out: an event that cannot be applied parks no stream, but stops its projection. */
  readonly parkedAt?: () => string;
  /** What applies the events of a build; left out: this thread. */
  readonly applyGroups?: ApplyGroups;
  /** So many threads apply the events of builds that begin together, unless that is asked for otherwise; left out: one for each core but one. */
  readonly threads?: number;
  readonly batchSize?: number;
  /** How many documents of all projections may wait to be stored while there is more to fold. */
  readonly mostWaiting?: number;
  /** So many documents of a projection are stored in one transaction, and few more. */
  readonly maxDocuments?: number;
  /** How long they may wait, so that what is folded slowly is not lost with the process. */
  readonly storeEveryMs?: number;
  readonly patience?: Patience;
  readonly retryAfterMs?: { readonly least: number; readonly most: number };
}

/**
 * Keeps projections up to date: those that begin together share one subscription. While there is more to fold,
 * documents are stored when many have changed, each once; at the end of the log at once. A projection that fails leaves
 * the others alone and tries again by itself, from its checkpoint, until it succeeds. Where several processes share the
 * read models, only those are folded whose lease this one has.
 */
export const startProjector = async (options: ProjectorOptions): Promise<Projector> => {
  const { eventStore, readModels, batchSize = 250, mostWaiting = 16_000, storeEveryMs = 10_000 } = options;
  const { maxDocuments = 4_000, applyGroups = groupApplierHere(options) } = options;
  const { threads = Math.max(1, availableParallelism() - 1) } = options;
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
      const { seen = 0, of, errors = 0, lastError, stopped } = member ?? {};
      const gaveUp = leases.gaveUp(name);
      const lease = leases.statusOf(name);
      const { position: at, parked } = member?.checkpoint ?? lease ?? { position: START, parked: [] };
      return {
        name,
        version,
        position: at,
        seen,
        of,
        folded: member?.fold.checkpoint().position ?? at,
        isHere: member !== undefined,
        isBuilt: member?.checkpoint.isBuilt ?? false,
        stopped,
        errors,
        lastError,
        parked: parked.map(toParkedAt),
        ...(gaveUp !== undefined && { gaveUp }),
        ...(lease && { lease }),
      };
    }),
  );
  const isActive = (member: Member): boolean => active.get(member.projection.name) === member;
  const wantedOf = (member: Wanted): Wanted => wantedNamed(member.projection.name) ?? member;
  const isFull = (): boolean =>
    [...active.values()].reduce((sum, { fold }) => sum + fold.waiting(), 0) >= mostWaiting;
  const { parkedAt } = options;
  const members = createMembers({
    eventStore,
    readModels,
    isFull,
    maxDocuments,
    storeEveryMs,
    isActive,
    wantedOf,
    changed,
    onError,
    parkedAt,
  });
  const following = {
    eventStore,
    readModels,
    members,
    isActive,
    wantedOf,
    applyGroups,
    threads,
    batchSize,
    storeEveryMs,
  };

  const running = new Set<Promise<void>>();
  const track = (task: Promise<void>): void => {
    const tracked = task.finally(() => running.delete(tracked));
    running.add(tracked);
  };
  const positionsOf = (group: readonly Member[]): string =>
    group.map(({ checkpoint }): Position => checkpoint.position).join();
  /** Has a member's subscription end, so that it begins again at what is stored. */
  const interrupts = new Map<Member, () => void>();
  const keepFollowing = (group: readonly Member[], attempt = 0): void => {
    const run = async () => {
      const left: Member[] = [];
      const before = positionsOf(group);
      const interrupt = new AbortController();
      for (const member of group) interrupts.set(member, () => interrupt.abort());
      const leave = (member: Member) => {
        left.push(member);
        keepFollowing([member], before === positionsOf(group) ? attempt + 1 : 1);
      };
      const stranded = () => group.filter((member) => isActive(member) && !left.includes(member));
      try {
        const pause = Math.min(most, least * 2 ** (attempt - 1)) * (0.5 + Math.random());
        if (attempt > 0) await delay(pause, undefined, { signal });
        const until = AbortSignal.any([signal, interrupt.signal]);
        await follow(group.filter(isActive), leave, { ...following, signal: until });
        if (interrupt.signal.aborted && !signal.aborted) keepFollowing(stranded());
      } catch (error) {
        if (signal.aborted) return;
        const some = stranded();
        for (const member of some) members.failed(member, error);
        keepFollowing(some, attempt + 1);
      }
    };
    if (group.length > 0) track(run());
  };

  const leases = keepLeases(readModels.leases, {
    wanted: () => wanted,
    active,
    async begin(some) {
      const joining = some.map(members.join);
      const outcomes = await Promise.allSettled(joining);
      for (const [index, outcome] of outcomes.entries())
        if (outcome.status === 'rejected') onError(some[index]?.projection.name ?? 'all', outcome.reason);
      const group = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
      for (const member of group) active.set(member.projection.name, member);
      for (const isApart of [false, true]) {
        const together = group.filter((member) => (member.isApart ?? false) === isApart);
        if (together.length > 0) keepFollowing(together);
      }
      // Those that have begun are not held up by one that cannot.
      await allSettled(joining);
    },
    end(name, isStuck) {
      const member = active.get(name);
      active.delete(name);
      if (isStuck && member) interrupts.get(member)?.();
    },
    eventStore,
    patience: options.patience ?? PATIENCE,
    changed,
    onError: options.onError,
    signal,
  });
  await leases.now();
  track(leases.run());
  track(leases.watch());

  return {
    ...progress,
    isCaughtUp: () => leases.isKnown() && progress.status().every(({ position }) => position >= target),
    async keep(next) {
      wanted = next;
      await leases.now();
      changed();
    },
    async release(projection, release) {
      const member = active.get(projection);
      if (!member) return;
      try {
        await members.release(member, release);
      } catch (error) {
        interrupts.get(member)?.();
        throw error;
      }
    },
    async stop() {
      stopping.abort();
      while (running.size > 0) await Promise.all(running);
      await leases.release();
    },
  };
};
