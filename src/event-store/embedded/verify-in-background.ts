import { statSync } from 'node:fs';
import { streamTask } from '../../lib/worker-client.ts';
import type { Damage } from '../port.ts';
import { verifyLog, type VerifyTask } from './verify.ts';

/** Larger files are verified in a thread of their own. */
const MAX_BYTES_ON_THIS_THREAD = 4_000_000;

/** Does what `verifyLog` does, without making requests wait. */
export const verifyInBackground = (
  file: string,
  signal: AbortSignal,
): AsyncGenerator<Damage, void, undefined> =>
  statSync(file).size <= MAX_BYTES_ON_THIS_THREAD
    ? verifyLog(file, signal)
    : streamTask<VerifyTask>(new URL('./verify.thread.js', import.meta.url), file, { signal });
