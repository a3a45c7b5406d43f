import type { SingleBar } from 'cli-progress';
import type { CopyProgress } from '../../event-store/copy-log.ts';
import { progressBar } from '../parts/progress-bar.ts';
import type { Terminal } from '../parts/terminal.ts';

const RATE = '{rate} a second';
const KNOWN_TOTAL = `{bar} {percentage} % | {value} of {total} events | ${RATE} | {eta_formatted} left`;

/** A bar for each phase of a copy, one after another. */
export const createBars = ({ stderr }: Terminal) => {
  let shown:
    { readonly phase: CopyProgress['phase']; readonly bar: SingleBar; readonly since: number } | undefined;
  const stop = () => shown?.bar.stop();
  return {
    stop,
    show(progress: CopyProgress) {
      const { phase, events } = progress;
      if (shown?.phase !== phase) {
        stop();
        const bar = progressBar(
          stderr,
          `${phase} ${phase === 'reading' ? `{value} events | ${RATE}` : KNOWN_TOTAL}`,
        );
        bar.start('total' in progress ? progress.total : 0, 0, { rate: 0 });
        shown = { phase, bar, since: performance.now() };
      }
      const seconds = (performance.now() - shown.since) / 1_000;
      shown.bar.update(events, { rate: Math.round(events / Math.max(seconds, 0.001)) });
    },
  };
};
