import { appendFileSync } from 'node:fs';
import { createRequire, syncBuiltinESMExports } from 'node:module';
import type * as promised from 'node:timers/promises';
import { threadId } from 'node:worker_threads';

/**
 * To be preloaded (`node --import`), with source maps: notes in the file that TIMERS_FILE names each callback of a timer
 * that the project's own code has set, with the thread and the line that set it.
 */
const file = process.env['TIMERS_FILE'] ?? '';
const timersOf = createRequire(import.meta.url)('node:timers/promises') as typeof promised;

/** The project's file and line that sets a timer; undefined for those of packages and of Node.js. */
const owner = (): string | undefined => {
  const frame = new Error().stack
    ?.split('\n')
    .find((line) => line.includes('/') && !line.includes('preload-timers'));
  return frame === undefined || frame.includes('node_modules') || frame.includes('node:')
    ? undefined
    : /\/(src\/[^)]*)/.exec(frame)?.[1];
};
const noteCall = (by: string | undefined): void => {
  if (by !== undefined) appendFileSync(file, `${threadId} ${by}\n`);
};

const noting = <Set extends typeof setInterval | typeof setTimeout>(set: Set): Set =>
  new Proxy(set, {
    apply(target, self, [call, ...rest]: [(...values: readonly unknown[]) => void, ...unknown[]]) {
      const by = owner();
      const noted = (...values: readonly unknown[]): void => {
        noteCall(by);
        call(...values);
      };
      return Reflect.apply(target, self, [noted, ...rest]) as unknown;
    },
  });
globalThis.setInterval = noting(globalThis.setInterval);
globalThis.setTimeout = noting(globalThis.setTimeout);
const delay = timersOf.setTimeout;
timersOf.setTimeout = async (milliseconds, value, options) => {
  const by = owner();
  const result = await delay(milliseconds, value, options);
  noteCall(by);
  return result;
};
syncBuiltinESMExports();
