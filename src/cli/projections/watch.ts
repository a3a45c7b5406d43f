import type { SingleBar } from 'cli-progress';
import { setTimeout as delay } from 'node:timers/promises';
import { requireRecord } from '../../build-registry/registry.ts';
import { lineOf, outcomeOf, type BuildLine, type BuildOutcome } from '../../build-registry/lines.ts';
import type { BegunBuild, Operations } from '../../rebuilds/operations.ts';
import { buildWith } from '../../build-registry/record.ts';
import { progressBars } from '../parts/progress-bar.ts';
import type { Terminal } from '../parts/terminal.ts';
import { printData } from '../parts/print.ts';

const LOOK_MS = 100;

/** For a person: a bar for each projection. */
const createBars = ({ stderr }: Terminal) => {
  const bars = progressBars(stderr, '{name} {bar} {percentage} % | {step} | {rate}/s | {left} left');
  const shown = new Map<string, SingleBar>();
  return {
    show(lines: readonly BuildLine[]) {
      const width = Math.max(0, ...lines.map(({ projection }) => projection.length));
      for (const { projection, step, events, of, perSecond, secondsLeft } of lines) {
        if (of === 0) continue;
        const told = {
          name: projection.padEnd(width),
          step,
          rate: perSecond,
          left: secondsLeft === null ? '?' : `${secondsLeft} s`,
        };
        const bar = shown.get(projection) ?? bars.create(of, events, told);
        shown.set(projection, bar);
        bar.setTotal(of);
        bar.update(events, told);
      }
    },
    stop() {
      // Without a bar it would write an empty line.
      if (shown.size > 0) bars.stop();
    },
  };
};

/** For a program: a line of JSON on standard output for each change of each build. */
const createJsonLines = ({ stdout }: Terminal) => {
  const told = new Map<string, string>();
  return {
    show(lines: readonly BuildLine[]) {
      for (const line of lines) {
        const text = JSON.stringify(line);
        if (told.get(line.build) !== text) printData(stdout, `${text}\n`);
        told.set(line.build, text);
      }
    },
    stop: () => undefined,
  };
};

/** Waits until builds have ended, and shows their progress. @throws what the signal is aborted with */
export const watchBuilds = async (
  terminal: Terminal,
  { all }: Pick<Operations, 'all'>,
  awaited: readonly BegunBuild[],
  isJson: boolean,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, BuildOutcome>> => {
  const outcomes = new Map<string, BuildOutcome>();
  const display = isJson ? createJsonLines(terminal) : createBars(terminal);
  try {
    for (;;) {
      const records = await all();
      const lines: BuildLine[] = [];
      for (const { name, build: id } of awaited) {
        const record = requireRecord(name, records.get(name));
        const outcome = outcomeOf(record, id);
        if (outcome) outcomes.set(name, outcome);
        const build = buildWith(record, id);
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
