import { START, type EventStore } from '../event-store/port.ts';
import { toFoldable } from './fold.ts';
import { createPace } from '../lib/pace.ts';
import { typesFolded } from './projection.ts';
import { buildByGroups, passesOf, type BuildOptions } from './build-by-groups.ts';
import type { Member, Wanted } from './member.ts';

export interface FollowOptions extends Omit<BuildOptions, 'throttleOf'> {
  readonly eventStore: BuildOptions['eventStore'] & Pick<EventStore, 'subscribe'>;
  readonly isActive: (member: Member) => boolean;
  /** How a member is wanted by now. */
  readonly wantedOf: (member: Member) => Wanted;
  /** So many threads apply events to what is built, where that is not asked for otherwise. */
  readonly threads: number;
}

const typesOf = (group: readonly Member[]) => typesFolded(group.map(({ projection }) => projection));

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
  const { eventStore, members, isActive, wantedOf, threads, batchSize, signal } = options;
  let going = [...group];
  const isLeft = (member: Member): boolean => going.includes(member) && isActive(member);
  /** Does something for a member that is left; one that fails at it is let go. */
  const attempt = async (member: Member, act: (member: Member) => Promise<void>): Promise<void> => {
    if (!isLeft(member)) return;
    try {
      await act(member);
    } catch (error) {
      going = going.filter((each) => each !== member);
      members.failed(member, error);
      leave(member);
    }
  };
  /** Tells whether any are left. */
  const each = async (act: (member: Member) => Promise<void>): Promise<boolean> => {
    await Promise.all(going.map((member) => attempt(member, act)));
    going = going.filter(isActive);
    return going.length > 0;
  };
  const throttleOf = (some: readonly Member[]): number =>
    Math.min(...some.filter(isActive).map((member) => wantedOf(member).throttle ?? Infinity));
  await each(members.rejoin);
  const asked = going.flatMap((member) => wantedOf(member).threads ?? []);
  const passes = passesOf(going, asked.length > 0 ? Math.max(...asked) : threads);
  const build = (pass: readonly Member[]): Promise<void> =>
    buildByGroups(pass, attempt, isLeft, { ...options, throttleOf }).catch(async (error: unknown) => {
      for (const member of pass)
        await attempt(member, () => {
          throw error;
        });
    });
  await Promise.all(passes.map(build));
  if (signal.aborted || going.length === 0) return;
  // Nothing comes that could tell of the end where they are there already.
  const head = await eventStore.head();
  await each(async (member) => {
    const { position, isBuilt } = member.fold.checkpoint();
    if (position >= head && !isBuilt) await members.cameToEnd(member);
  });
  const after = going.map(({ fold }) => fold.checkpoint().position).sort()[0] ?? START;
  const pace = createPace(() => throttleOf(going), signal);
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
