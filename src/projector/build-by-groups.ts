import { setImmediate } from 'node:timers/promises';
import { START, type EventStore, type Mark } from '../event-store/port.ts';
import { NOTHING } from './fold.ts';
import { createPace } from '../lib/pace.ts';
import { typesFolded } from './projection.ts';
import type { Member, Members } from './member.ts';
import type { ReadModelStore } from '../read-models/port.ts';
import type { ApplyGroups } from './apply-groups.ts';

export interface BuildOptions {
  readonly eventStore: Pick<EventStore, 'head' | 'recordAt'>;
  readonly readModels: Pick<ReadModelStore, 'maxInserted'>;
  readonly members: Members;
  readonly applyGroups: ApplyGroups;
  readonly batchSize: number;
  /** How long documents wait to be stored. */
  readonly storeEveryMs: number;
  /** Events a second at most, as is wanted by now of those of some members that are still built. */
  readonly throttleOf: (members: readonly Member[]) => number;
  readonly signal: AbortSignal;
}

/** The last event of the log; undefined for an empty one. */
const headMark = async (eventStore: BuildOptions['eventStore']): Promise<Mark | undefined> => {
  const position = await eventStore.head();
  const record = position === START ? undefined : await eventStore.recordAt(position);
  return record && { position, id: record.id };
};

/**
 * Those of some members that begin from nothing and are grouped alike, from the same place on: one pass builds them.
 *
 * @param threads so many passes of the same events at most, each of which can have a thread of its own
 */
export const passesOf = (some: readonly Member[], threads: number): Member[][] => {
  const alike = new Map<string, Member[]>();
  for (const member of some) {
    const { projection, checkpoint, isUngrouped } = member;
    if (checkpoint.position !== START || !projection.grouping || isUngrouped) continue;
    const { upTo, group } = checkpoint.building ?? {};
    const key = JSON.stringify([projection.grouping.by, upTo, group]);
    alike.set(key, [...(alike.get(key) ?? []), member]);
  }
  return [...alike.values()].flatMap((all) => {
    const passes = Array.from({ length: Math.min(threads, all.length) }, (): Member[] => []);
    for (const [index, member] of all.entries()) passes[index % passes.length]?.push(member);
    return passes;
  });
};

/**
 * Builds projections from nothing up to where the log ends, group after group: each document is stored once.
 *
 * @param attempt does something for a member that still is to be built; one that fails is not built on
 * @param isLeft whether a member still is to be built
 */
export const buildByGroups = async (
  pass: readonly Member[],
  attempt: (member: Member, act: () => Promise<void>) => Promise<void>,
  isLeft: (member: Member) => boolean,
  options: BuildOptions,
): Promise<void> => {
  const { eventStore, readModels, members, applyGroups, batchSize, storeEveryMs, throttleOf, signal } =
    options;
  const { checkpoint: { building, last } = NOTHING, projection } = pass[0] ?? {};
  const upTo = building && last ? last : await headMark(eventStore);
  const types = typesFolded(pass.map((member) => member.projection));
  const by = projection?.grouping?.by;
  if (by === undefined || !upTo || types.length === 0) return;
  const left = () => pass.filter(isLeft);
  const pace = createPace(() => throttleOf(left()), signal);
  const starts = pass.map(({ projection, checkpoint: { parked, building } }) => ({
    projection,
    parked,
    isBegun: building !== null,
  }));
  const read = { by, types, upTo: upTo.position, batchSize, after: building?.group ?? undefined };
  const size = { maxDocuments: readModels.maxInserted ?? Infinity, everyMs: storeEveryMs };
  const builds = new Map(
    pass.map((member) => [member.projection.name, { member, parts: members.beginBuild(member, upTo) }]),
  );
  for await (const part of applyGroups({ starts, read, ...size }, signal)) {
    const [first] = left();
    if (!first || signal.aborted) return;
    const { member, parts } = builds.get(part.projection) ?? {};
    if (member && parts) await attempt(member, () => members.build(member, parts, part));
    // Each part of the events comes once for each of them.
    if (member === first) await pace(part.events);
    // Lets others in: a store in a file answers at once.
    await setImmediate();
  }
  if (signal.aborted) return;
  for (const { member, parts } of builds.values()) await attempt(member, () => members.built(member, parts));
};
