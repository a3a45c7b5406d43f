import { readlinkSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';
import { basename } from 'node:path';

/** Of a busy core, about a third of what a thread with the usual priority gets. */
const NICE = 5;

/**
 * Gives the calling thread a lower priority for as long as it runs, so that requests come first. Only Linux gives each
 * thread a priority of its own; elsewhere, and where /proc cannot be read, the thread keeps that of the process.
 */
export const lowerThreadPriority = (): void => {
  try {
    const thread = Number(basename(readlinkSync('/proc/thread-self')));
    setPriority(thread, Math.max(getPriority(), NICE));
  } catch {
    // Without it the thread competes with requests as an equal.
  }
};
