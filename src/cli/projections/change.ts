import { userInfo } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { entryOf } from '../../builds/catalogue.ts';
import { liveBuild } from '../../builds/entry.ts';
import type { Operations } from '../../builds/operations.ts';
import { withOperations, withProjector } from './operating.ts';

const say = (text: string): void => void process.stdout.write(`${text}\n`);

/** `hiring projections rollback`: serves the build again that was served before. */
export const rollBack = (name: string): Promise<void> =>
  withOperations(async ({ rollBack: back }) => say(`${name}: ${liveBuild(await back(name)).id} is served`));

/** `hiring projections cancel`: gives up what is under way; what is served stays as it is. */
export const cancelRebuild = (name: string): Promise<void> =>
  withOperations(async ({ cancel }) => {
    await cancel(name);
    say(`${name}: given up`);
  });

/** `hiring projections pause`: nothing is folded any more, on any instance, until it is resumed. */
export const pauseProjection = (name: string): Promise<void> =>
  withOperations(async ({ pause }) => {
    const { paused } = await pause(name, userInfo().username);
    say(`${name}: paused since ${paused?.since ?? ''} by ${paused?.by ?? ''}`);
  });

/** `hiring projections resume`: goes on where it was paused. */
export const resumeProjection = (name: string): Promise<void> =>
  withOperations(async ({ resume }) => {
    await resume(name);
    say(`${name}: resumed`);
  });

const LOOK_MS = 100;
/** Folding what waits takes no longer, as a rule. */
const MOST_MS = 60_000;

/**
 * Waits until what was asked for is done, and says what waits after it; exit code 1 where something still does.
 *
 * @throws what the signal is aborted with
 */
const settle = async ({ all }: Pick<Operations, 'all'>, name: string, signal: AbortSignal): Promise<void> => {
  const waitingNow = async () =>
    entryOf(name, (await all()).get(name)).builds.flatMap(({ id, quarantined }) =>
      quarantined.map((each) => ({ ...each, build: id })),
    );
  const end = performance.now() + MOST_MS;
  let waiting = await waitingNow();
  while (waiting.some(({ request }) => request !== 'none') && performance.now() < end) {
    await delay(LOOK_MS);
    signal.throwIfAborted();
    waiting = await waitingNow();
  }
  for (const { build, stream, position, type, error } of waiting)
    say(`${build}: ${stream} waits from ${type} at ${position}: ${error}`);
  if (waiting.length === 0) say(`${name}: nothing waits`);
  else process.exitCode = 1;
};

/** `hiring projections retry`: has streams that wait folded again, all or one. */
export const retryQuarantined = (name: string, stream: string | undefined): Promise<void> =>
  withOperations(async (operations, stores) => {
    await operations.retry(name, stream);
    await withProjector(stores, (signal) => settle(operations, name, signal));
  });

/** `hiring projections skip`: leaves out the event at which a stream stopped. */
export const skipQuarantined = (name: string, stream: string): Promise<void> =>
  withOperations(async (operations, stores) => {
    await operations.skip(name, stream);
    await withProjector(stores, (signal) => settle(operations, name, signal));
  });
