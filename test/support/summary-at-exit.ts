import type { Runner } from 'mocha';

let isOver = false;

/**
 * In its parallel mode mocha waits for a worker that has ended by itself between two files, as by an error of what a
 * failed test has left, until nothing else is to be done; then it ends without a summary, as if all tests had passed.
 * This has it report what it knows, and fail.
 */
export function mochaGlobalSetup(this: Runner): void {
  process.once('exit', () => {
    if (isOver) return;
    this.emit('end');
    console.error('A worker of mocha has ended by itself: not all tests may have run, and its error stands above');
    process.exitCode = 1;
  });
}

export function mochaGlobalTeardown(): void {
  isOver = true;
}
