import { START, type EventStore } from './event-store/port.ts';
import { toFoldable } from './fold.ts';
import { createPace } from './pace.ts';
import { categoriesWith, typesFolded } from './projection.ts';
import { countOwn, type Member, type Members, type Wanted } from './projector-member.ts';
import type { ReadModelStore } from './read-models/port.ts';

export interface FollowOptions {
  readonly eventStore: Pick<EventStore, 'subscribe' | 'readStreams' | 'head'>;
  readonly readModels: Pick<ReadModelStore, 'reset'>;
  readonly members: Members;
  readonly isActive: (member: Member) => boolean;
  /** How a member is wanted by now. */
  readonly wantedOf: (member: Member) => Wanted;
  readonly batchSize: number;
  readonly signal: AbortSignal;
}

/** Does something for each member, and lets those go that fail at it; tells whether any are left. */
type Each = (act: (member: Member) => Promise<void>) => Promise<boolean>;

const isFresh = ({ position, errors }: Member): boolean => position === START && errors === 0;
const typesOf = (group: readonly Member[]) => typesFolded(group.map(({ projection }) => projection));

/** Events a second at most, as is wanted by now of those that are still folded. */
const throttleOf = (
  group: readonly Member[],
  { isActive, wantedOf }: Pick<FollowOptions, 'isActive' | 'wantedOf'>,
): number => Math.min(...group.filter(isActive).map((member) => wantedOf(member).throttle ?? Infinity));

/** Has members that start from nothing fold what there is stream by stream: each document is then made once. */
const build = async (group: readonly Member[], each: Each, options: FollowOptions): Promise<void> => {
  const { eventStore, members, batchSize, signal } = options;
  const types = typesOf(group);
  const { building } = group[0] ?? {};
  const upTo = building?.upTo ?? (await eventStore.head());
  if (!eventStore.readStreams || upTo === START || types.length === 0) return;
  const pace = createPace(() => throttleOf(group, options), signal);
  const ours = (act: (member: Member) => Promise<void>) =>
    each((member) => (group.includes(member) ? act(member) : Promise.resolve()));
  const read = { categories: categoriesWith(types), types, upTo, batchSize, after: building?.after };
  for await (const batch of eventStore.readStreams(read)) {
    const events = batch.events.map(toFoldable);
    const due: Member[] = [];
    const isAnyLeft = await ours(async (member) => {
      await member.fold.build(events, upTo);
      member.seen += countOwn(member, events);
      member.building = { upTo, after: batch.after };
      if (members.isDue(member)) due.push(member);
    });
    if (!isAnyLeft) return;
    // Together, so that all of them go on from the same place after an interruption.
    if (due.length > 0) await ours(members.commit);
    await pace(events.length);
    if (signal.aborted) {
      // So that it goes on from here.
      await ours(members.commit);
      return;
    }
  }
  await ours(async (member) => {
    member.building = undefined;
    member.fold.built(upTo);
    await members.publish(member);
  });
};

/** Those that can be built in the same pass: from the same place. */
const passesOf = (group: readonly Member[]): Member[][] => {
  const passes = new Map<string, Member[]>();
  for (const member of group) {
    const { upTo = START, after = '' } = member.building ?? {};
    const key = `${upTo} ${after}`;
    passes.set(key, [...(passes.get(key) ?? []), member]);
  }
  return [...passes.values()];
};

/**
 * Follows the log for some projections until stopped; resolves early when none of them is left.
 *
 * @param leave told of each that has failed, and is followed no more
 */
export const follow = async (
  group: readonly Member[],
  leave: (member: Member) => void,
  options: FollowOptions,
): Promise<void> => {
  const { eventStore, readModels, members, isActive, batchSize, signal } = options;
  let going = [...group];
  const each: Each = async (act) => {
    going = going.filter(isActive);
    const outcomes = await Promise.allSettled(going.map(act));
    going = going.filter((member, index) => {
      const outcome = outcomes[index];
      if (outcome?.status !== 'rejected') return true;
      members.failed(member, outcome.reason);
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
  for (const pass of passesOf(going.filter(isFresh))) {
    await build(pass, each, options);
    if (signal.aborted) return;
  }
  if (going.length === 0) return;
  const after = going.map(({ position }) => position).sort()[0] ?? START;
  const pace = createPace(() => throttleOf(going, options), signal);
  let isBehind = true;
  for await (const batch of eventStore.subscribe(after, { batchSize, signal, types: typesOf(going) })) {
    const events = batch.events.map(toFoldable);
    // Before: the last batch may be the only one.
    if (isBehind) await pace(events.length);
    if (!(await each((member) => members.advance(member, events, batch)))) return;
    isBehind &&= !batch.isLast;
  }
  await each(members.publish);
};
