// @ts-check
import { Console } from 'node:console';

import { performance } from 'node:perf_hooks';
import process from 'node:process';

// Emmett logs what fails to standard output; here that holds results and nothing else.
globalThis.console = new Console(process.stderr);

/**
 * Prints a result as one line of JSON on standard output.
 *
 * @param {object} result
 */
export const print = (result) => process.stdout.write(`${JSON.stringify(result)}\n`);

/**
 * Seconds since a start, with milliseconds.
 *
 * @param {number} started what `performance.now()` gave
 */
export const secondsSince = (started) => Math.round(performance.now() - started) / 1_000;

/** The most memory this process has held so far, in MB of 2^20 bytes. */
export const peakRssMb = () => Math.round(process.resourceUsage().maxRSS / 1_024);
