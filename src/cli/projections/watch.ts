import { setTimeout as delay } from 'node:timers/promises';
import { entryOf } from '../../build-registry/catalogue.ts';
import { lineOf, outcomeOf, type BuildLine, type Outcome } from '../../build-registry/lines.ts';
import type { Begun, Operations } from '../../rebuilds/operations.ts';
import { buildWith } from '../../build-registry/entry.ts';
import { progressBar } from '../parts/progress-bar.ts';

const LOOK_MS = 100;

/** Shows how builds come on: one bar for all, or a line of JSON for each change of each. */
const createDisplay = (isJson: boolean) => {
  const bar = progressBar(
    '{bar} {percentage} % | {value} of {total} events | {rate} a second | {left} left | {step}',
  );
  let isStarted = false;
  const told = new Map<string, string>();
  return {
    show(lines: readonly BuildLine[]) {
      if (isJson) {
        for (const line of lines) {
          const text = JSON.stringify(line);
          if (told.get(line.build) !== text) process.stdout.write(`${text}\n`);
          told.set(line.build, text);
        }
        return;
      }
      const [events, of, rate] = [
        lines.reduce((sum, line) => sum + line.events, 0),
        lines.reduce((sum, line) => sum + line.of, 0),
        lines.reduce((sum, line) => sum + line.perSecond, 0),
      ];
      if (of === 0) return;
      const left = Math.max(0, ...lines.map(({ secondsLeft }) => secondsLeft ?? 0));
      const shown = { rate, left: `${left} s`, step: lines.map(({ step }) => step).join(' ') };
      if (!isStarted) bar.start(of, events, shown);
      isStarted = true;
      bar.setTotal(of);
      bar.update(events, shown);
    },
    stop: () => {
      if (isStarted) bar.stop();
    },
  };
};

/** Waits until builds have come to their ends, and shows how they come on. @throws what the signal is aborted with */
export const watchBuilds = async (
  { all }: Pick<Operations, 'all'>,
  awaited: readonly Begun[],
  isJson: boolean,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Outcome>> => {
  const outcomes = new Map<string, Outcome>();
  const display = createDisplay(isJson);
  try {
    for (;;) {
      const entries = await all();
      const lines: BuildLine[] = [];
      for (const { name, build: id } of awaited) {
        const entry = entryOf(name, entries.get(name));
        const outcome = outcomeOf(entry, id);
        if (outcome) outcomes.set(name, outcome);
        const build = buildWith(entry, id);
        if (build) lines.push(lineOf(name, build));
      }
      display.show(lines);
      if (outcomes.size === awaited.length) return outcomes;
      await delay(LOOK_MS);
      signal.throwIfAborted();
    }
  } finally {
    display.stop();
  }
};
