import type { Terminal } from '../parts/terminal.ts';
import { print } from '../parts/print.ts';

const EVERY_MS = 1_000;

/** Says on standard error how far something is, at most once a second. */
export const progressPrinter = ({ stderr }: Pick<Terminal, 'stderr'>) => {
  let saidAt = performance.now();
  return (text: () => string): void => {
    if (performance.now() - saidAt < EVERY_MS) return;
    saidAt = performance.now();
    print(stderr, `hiring: ${text()}`);
  };
};
