import { setTimeout as delay } from 'node:timers/promises';
import type { Build, Entry, Verification } from '../../builds/build.ts';
import type { Operations } from '../../builds/operations.ts';
import { buildWith } from '../../builds/transitions.ts';
import { progressBar } from '../progress-bar.ts';
import { entryOf } from './operating.ts';

const LOOK_MS = 100;

/** How a build came out. */
export type Outcome =
  | { readonly kind: 'served'; readonly report: Verification | undefined }
  | { readonly kind: 'compared' | 'differs'; readonly report: Verification }
  | { readonly kind: 'stopped'; readonly reason: string }
  | { readonly kind: 'cancelled' };

/** A build somebody waits for. */
export interface Awaited {
  readonly name: string;
  readonly build: string;
}

/** Undefined while it is under way. */
const outcomeOf = (entry: Entry, id: string): Outcome | undefined => {
  const build = buildWith(entry, id);
  const report = entry.verified?.build === id ? entry.verified.report : undefined;
  if (entry.live === id) return { kind: 'served', report };
  if (report && build?.step === 'differs') return { kind: 'differs', report };
  if (build?.step === 'stopped') return { kind: 'stopped', reason: build.stoppedBy ?? '' };
  if (build && build.step !== 'discarded') return undefined;
  return report ? { kind: 'compared', report } : { kind: 'cancelled' };
};

/** What is told of a build that is under way. */
export interface BuildLine {
  readonly projection: string;
  readonly build: string;
  readonly step: Build['step'];
  readonly events: number;
  readonly of: number;
  readonly perSecond: number;
  readonly secondsLeft: number | null;
}

const lineOf = (name: string, { id, step, progress }: Build): BuildLine => {
  const { events, of, perSecond } = progress ?? { events: 0, of: 0, perSecond: 0 };
  const secondsLeft = perSecond > 0 ? Math.round((of - events) / perSecond) : null;
  return { projection: name, build: id, step, events, of, perSecond, secondsLeft };
};

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

/** Waits until builds have come to their ends, and shows how they come on. */
export const watchBuilds = async (
  { all }: Pick<Operations, 'all'>,
  awaited: readonly Awaited[],
  isJson: boolean,
): Promise<ReadonlyMap<string, Outcome>> => {
  const outcomes = new Map<string, Outcome>();
  const display = createDisplay(isJson);
  try {
    for (;;) {
      const entries = await all();
      const lines: BuildLine[] = [];
      for (const { name, build: id } of awaited) {
        const entry = entryOf(entries, name);
        const outcome = outcomeOf(entry, id);
        if (outcome) outcomes.set(name, outcome);
        const build = buildWith(entry, id);
        if (build) lines.push(lineOf(name, build));
      }
      display.show(lines);
      if (outcomes.size === awaited.length) return outcomes;
      await delay(LOOK_MS);
    }
  } finally {
    display.stop();
  }
};
