import type { SingleBar } from 'cli-progress';
import { setTimeout as delay } from 'node:timers/promises';
import { requireRecord } from '../../builds/registry.ts';
import { lastLineOf, lineOf, outcomeOf, type BuildLine, type BuildOutcome } from '../../builds/lines.ts';
import type { BegunBuild, Operations } from '../../builds/operations.ts';
import { buildWith } from '../../builds/record.ts';
import { progressBars } from '../parts/progress-bar.ts';
import type { Terminal } from '../parts/terminal.ts';
import { print, printData } from '../parts/print.ts';
import type { RegistryRecord } from '../../builds/build.ts';

const LOOK_MS = 100;
const SAY_AFTER_MS = 10_000;

/** For a person: a bar for each projection. */
const createBars = ({ stderr }: Pick<Terminal, 'stderr'>) => {
  const bars = progressBars(stderr, '{name} {bar} {percentage} % | {step} | {rate}/s | {left} left');
  const shown = new Map<string, SingleBar>();
  return {
    show(lines: readonly BuildLine[]) {
      const width = Math.max(0, ...lines.map(({ projection }) => projection.length));
      for (const { projection, step, events, of, perSecond, secondsLeft } of lines) {
        if (of === 0) continue;
        const columns = {
          name: projection.padEnd(width),
          step,
          rate: perSecond,
          left: secondsLeft === null ? '?' : `${secondsLeft} s`,
        };
        const bar = shown.get(projection) ?? bars.create(of, events, columns);
        shown.set(projection, bar);
        bar.setTotal(of);
        bar.update(events, columns);
      }
    },
    stop() {
      // Without a bar it would write an empty line.
      if (shown.size > 0) bars.stop();
    },
  };
};

/** For a program: a line of JSON on standard output for each change of each build. */
const createJsonLines = ({ stdout }: Pick<Terminal, 'stdout'>) => {
  const printed = new Map<string, string>();
  return {
    show(lines: readonly BuildLine[]) {
      for (const line of lines) {
        const text = JSON.stringify(line);
        if (printed.get(line.build) !== text) printData(stdout, `${text}\n`);
        printed.set(line.build, text);
      }
    },
    stop: () => undefined,
  };
};

const waitsFor = ({ paused }: RegistryRecord, { step, events, of }: BuildLine): string => {
  if (paused) return `it is paused since ${paused.since} by ${paused.by}; resume it, or cancel the build`;
  if (step === 'verify') return 'it is being compared with what is served';
  return of === 0 ? 'its build has not begun' : `${events} of ${of} events are applied, and no more for now`;
};

/** Says what is waited for wherever nothing has changed for a while. */
const createReminder = ({ stderr }: Pick<Terminal, 'stderr'>, sayAfterMs: number) => {
  const seen = new Map<string, { readonly text: string; readonly at: number }>();
  return (record: RegistryRecord, line: BuildLine): void => {
    const [text, now] = [JSON.stringify(line), performance.now()];
    const before = seen.get(line.build);
    if (before?.text === text && now - before.at < sayAfterMs) return;
    seen.set(line.build, { text, at: now });
    if (before?.text === text)
      print(
        stderr,
        `${line.projection}: waits: ${waitsFor(record, line)}; the service's log says what fails`,
      );
  };
};

export interface WatchOptions {
  readonly isJson: boolean;
  readonly signal: AbortSignal;
  /** After so long without a change it is said what is waited for, and again after as long. */
  readonly sayAfterMs?: number | undefined;
}

/** Waits until builds have ended, and shows their progress. @throws what the signal is aborted with */
export const watchBuilds = async (
  terminal: Pick<Terminal, 'stdout' | 'stderr'>,
  { all }: Pick<Operations, 'all'>,
  awaited: readonly BegunBuild[],
  { isJson, signal, sayAfterMs = SAY_AFTER_MS }: WatchOptions,
): Promise<ReadonlyMap<string, BuildOutcome>> => {
  const outcomes = new Map<string, BuildOutcome>();
  const last = new Map<string, BuildLine>();
  const remind = createReminder(terminal, sayAfterMs);
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
        const before = last.get(id);
        const line = build ? lineOf(name, build) : before && outcome && lastLineOf(before, outcome);
        if (!line) continue;
        last.set(id, line);
        lines.push(line);
        if (!outcome) remind(record, line);
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
