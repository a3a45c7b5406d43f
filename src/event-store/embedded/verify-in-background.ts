import { statSync } from 'node:fs';
import { streamOfThread } from '../../lib/thread-stream.ts';
import type { Damage } from '../port.ts';
import { verifyLog } from './verify.ts';

/** Larger files are verified in a thread of their own. */
const MOST_BYTES_HERE = 4_000_000;

/** As `verifyLog`, so that no request waits for it. */
export const verifyInBackground = (
  file: string,
  signal: AbortSignal,
): AsyncGenerator<Damage, void, undefined> =>
  statSync(file).size <= MOST_BYTES_HERE
    ? verifyLog(file, signal)
    : streamOfThread<Damage>(
        new URL('./verify.thread.js', import.meta.url),
        { workerData: { file } },
        signal,
      );
