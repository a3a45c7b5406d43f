import { START, type EventStore } from '../event-store/port.ts';
import { toApplicable } from './applier.ts';
import { createLeakyBucket } from '../lib/leaky-bucket.ts';
import { typesApplied } from './projection.ts';
import { buildByGroups, passesOf, type GroupBuildOptions } from './build-by-groups.ts';
import type { ProjectionRunner, ProjectionTarget } from './runner.ts';

export interface ProjectorFollowOptions extends Omit<GroupBuildOptions, 'throttleOf'> {
  readonly eventStore: GroupBuildOptions['eventStore'] & Pick<EventStore, 'subscribe'>;
  readonly isActive: (runner: ProjectionRunner) => boolean;
  readonly targetOf: (runner: ProjectionRunner) => ProjectionTarget;
  /** Threads for the events of builds, where no target asks for another number. */
  readonly threads: number;
}

const typesOf = (group: readonly ProjectionRunner[]) =>
  typesApplied(group.map(({ projection }) => projection));

/**
 * Follows the event log for some projections until stopped, or until none of them is left.
 *
 * @param leave told of each runner that has failed
 */
export const follow = async (
  group: readonly ProjectionRunner[],
  leave: (runner: ProjectionRunner) => void,
  options: ProjectorFollowOptions,
): Promise<void> => {
  const { eventStore, runners, isActive, targetOf, threads, batchSize, signal } = options;
  let going = [...group];
  const isLeft = (runner: ProjectionRunner): boolean => going.includes(runner) && isActive(runner);
  /** Acts for a runner that is left; lets it go where that fails. */
  const attempt = async (
    runner: ProjectionRunner,
    act: (runner: ProjectionRunner) => Promise<void>,
  ): Promise<void> => {
    if (!isLeft(runner)) return;
    try {
      await act(runner);
    } catch (error) {
      going = going.filter((each) => each !== runner);
      runners.failed(runner, error);
      leave(runner);
    }
  };
  /** Acts for all that are left; tells whether any still are. */
  const each = async (act: (runner: ProjectionRunner) => Promise<void>): Promise<boolean> => {
    await Promise.all(going.map((runner) => attempt(runner, act)));
    going = going.filter(isActive);
    return going.length > 0;
  };
  const throttleOf = (some: readonly ProjectionRunner[]): number =>
    Math.min(...some.filter(isActive).map((runner) => targetOf(runner).throttle ?? Infinity));
  await each(runners.rejoin);
  const asked = going.flatMap((runner) => targetOf(runner).threads ?? []);
  const passes = passesOf(going, asked.length > 0 ? Math.max(...asked) : threads);
  const build = (pass: readonly ProjectionRunner[]): Promise<void> =>
    buildByGroups(pass, attempt, isLeft, { ...options, throttleOf }).catch(async (error: unknown) => {
      for (const runner of pass)
        await attempt(runner, () => {
          throw error;
        });
    });
  await Promise.all(passes.map(build));
  if (signal.aborted || going.length === 0) return;
  // No batch tells runners that they came to the end when they are there already.
  const head = await eventStore.head();
  await each(async (runner) => {
    const { position, isBuilt } = runner.applier.checkpoint();
    if (position >= head && !isBuilt) await runners.cameToEnd(runner);
  });
  const after = going.map(({ applier }) => applier.checkpoint().position).sort()[0] ?? START;
  const throttle = createLeakyBucket(() => throttleOf(going), signal);
  let isBehind = true;
  for await (const batch of eventStore.subscribe(after, { batchSize, signal, types: typesOf(going) })) {
    const events = batch.events.map(toApplicable);
    // Paced before it is applied: the last batch may be the only one.
    if (isBehind) await throttle(events.length);
    if (!(await each((runner) => runners.advance(runner, events, batch)))) return;
    isBehind &&= !batch.isLast;
  }
  await each(runners.publish);
};
