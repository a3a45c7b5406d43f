import { statSync } from 'node:fs';
import { streamOfThread } from '../../lib/thread-stream.ts';
import type { Damage } from '../port.ts';
import { verifyLog } from './verify.ts';

/** Larger files are verified in a thread of their own. */
const MAX_BYTES_ON_THIS_THREAD = 4_000_000;

/** Does what `verifyLog` does, without making requests wait. */
export const verifyInBackground = (
  file: string,
  signal: AbortSignal,
): AsyncGenerator<Damage, void, undefined> =>
  statSync(file).size <= MAX_BYTES_ON_THIS_THREAD
    ? verifyLog(file, signal)
    : streamOfThread<Damage>(
        new URL('./verify.thread.js', import.meta.url),
        { workerData: { file } },
        signal,
      );
