import { userInfo } from 'node:os';
import { liveBuild } from '../../builds/transitions.ts';
import { withOperations } from './operating.ts';

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
