import { setFlagsFromString } from 'node:v8';

/**
 * Has the flag `--max-semi-space-size`, if the process was started with it, hold for the calling thread alone: threads
 * that begin later get the young generation that their `resourceLimits` say, or V8's own.
 */
export const keepSemiSpaceFlagToThisThread = (): void => setFlagsFromString('--max-semi-space-size=0');
