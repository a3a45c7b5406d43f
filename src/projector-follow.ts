import { eventsIn } from './projector/events-in.ts';
import { START, type EventStore, type Mark } from './event-store/port.ts';
import { NOTHING, toFoldable } from './fold.ts';
import { createPace } from './pace.ts';
import { typesFolded } from './projection.ts';
import type { Member, Members, Wanted } from './projector-member.ts';

export interface FollowOptions {
  readonly eventStore: Pick<EventStore, 'subscribe' | 'readGroups' | 'head' | 'recordAt'>;
  readonly members: Members;
  readonly isActive: (member: Member) => boolean;
  /** How a member is wanted by now. */
  readonly wantedOf: (member: Member) => Wanted;
  readonly batchSize: number;
  readonly signal: AbortSignal;
}

/** Does something for each member, and lets those go that fail at it; tells whether any are left. */
type Each = (act: (member: Member) => Promise<void>) => Promise<boolean>;

const isFresh = ({ checkpoint }: Member): boolean => checkpoint.position === START;
const typesOf = (group: readonly Member[]) => typesFolded(group.map(({ projection }) => projection));

/** Events a second at most, as is wanted by now of those that are still folded. */
const throttleOf = (
  group: readonly Member[],
  { isActive, wantedOf }: Pick<FollowOptions, 'isActive' | 'wantedOf'>,
): number => Math.min(...group.filter(isActive).map((member) => wantedOf(member).throttle ?? Infinity));

/** Has members that start from nothing, and are grouped alike, apply what there is group by group: each document is made once. */
const build = async (group: readonly Member[], each: Each, options: FollowOptions): Promise<void> => {
  const { eventStore, members, batchSize, signal } = options;
  const types = typesOf(group);
  const { checkpoint: { building, last } = NOTHING, projection } = group[0] ?? {};
  const upTo = building && last ? last : await headMark(eventStore);
  const by = projection?.grouping?.by;
  if (by === undefined || !upTo || types.length === 0) return;
  const throttle = () => throttleOf(group, options);
  const pace = createPace(throttle, signal);
  const ours = (act: (member: Member) => Promise<void>) =>
    each((member) => (group.includes(member) ? act(member) : Promise.resolve()));
  const after = building?.group;
  const isSlow = throttle() !== Infinity;
  const read = { by, types, upTo: upTo.position, batchSize, after, isSlow };
  for await (const batch of eventStore.readGroups(read, signal)) {
    const groups = eventsIn(batch).map((events) => events.map(toFoldable));
    const due: Member[] = [];
    const isAnyLeft = await ours(async (member) => {
      await members.build(member, groups, batch.ended, upTo);
      if (members.isDue(member)) due.push(member);
    });
    if (!isAnyLeft) return;
    // Together, so that all of them go on from the same place after an interruption.
    if (due.length > 0) await ours(members.commit);
    await pace(groups.reduce((sum, { length }) => sum + length, 0));
    if (signal.aborted) break;
  }
  // So that it goes on from here.
  if (signal.aborted) await ours(members.commit);
  else await ours((member) => members.built(member, upTo));
};

/** The last event of the log; undefined for an empty one. */
const headMark = async (eventStore: FollowOptions['eventStore']): Promise<Mark | undefined> => {
  const position = await eventStore.head();
  const record = position === START ? undefined : await eventStore.recordAt(position);
  return record && { position, id: record.id };
};

/** Those that can be built in the same pass: from the same place. */
const passesOf = (group: readonly Member[]): Member[][] => {
  const passes = new Map<string, Member[]>();
  for (const member of group) {
    const { grouping } = member.projection;
    if (!grouping || member.isScattered) continue;
    const { upTo, group: last } = member.checkpoint.building ?? {};
    const key = JSON.stringify([grouping.by, upTo, last]);
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
  const { eventStore, members, isActive, batchSize, signal } = options;
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
  await each(members.rejoin);
  for (const pass of passesOf(going.filter(isFresh))) {
    await build(pass, each, options);
    if (signal.aborted) return;
  }
  if (going.length === 0) return;
  // Nothing comes that could tell of the end where they are there already.
  const head = await eventStore.head();
  await each(async (member) => {
    const { position, isBuilt } = member.fold.checkpoint();
    if (position >= head && !isBuilt) await members.cameToEnd(member);
  });
  const after = going.map(({ fold }) => fold.checkpoint().position).sort()[0] ?? START;
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
