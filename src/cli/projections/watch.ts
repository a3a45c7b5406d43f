import type { SingleBar } from 'cli-progress';
import { setTimeout as delay } from 'node:timers/promises';
import { requireRecord } from '../../builds/registry.ts';
import { createBuildUpdateFinder } from '../../builds/registry-feed.ts';
import type { BuildProgressLine, BuildOutcome } from '../../builds/progress-lines.ts';
import type { BegunBuild } from '../../builds/operations.ts';
import { createMultiProgressBar } from '../parts/progress-bar.ts';
import type { Terminal } from '../parts/terminal.ts';
import { print, printJson } from '../parts/print.ts';
import type { ProjectionBuildsSummary } from '../../builds/build-schema.ts';
import type { ProjectionsPort } from './port.ts';

const SAY_AFTER_MS = 10_000;

/** For a person: a bar for each projection. */
const createBars = ({ stderr }: Pick<Terminal, 'stderr'>, awaited: readonly BegunBuild[]) => {
  const bars = createMultiProgressBar(stderr, '{name} {bar} {percentage} % | {step} | {rate}/s | {left} left');
  const shown = new Map<string, SingleBar>();
  const width = Math.max(...awaited.map(({ name }) => name.length));
  return {
    show({ projection, step, events, of, perSecond, secondsLeft }: BuildProgressLine) {
      if (of === 0) return;
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
    },
    stop() {
      // Without a bar it would write an empty line.
      if (shown.size > 0) bars.stop();
    },
  };
};

const waitsFor = ({ paused }: ProjectionBuildsSummary, { step, events, of }: BuildProgressLine): string => {
  if (paused) return `it is paused since ${paused.since} by ${paused.by}; resume it, or cancel the build`;
  if (step === 'verify') return 'it is being compared with what is served';
  return of === 0 ? 'its build has not begun' : `${events} of ${of} events are applied, and no more for now`;
};

interface WatchOptions {
  readonly isJson: boolean;
  readonly signal: AbortSignal;
  /** After so long without a change it is said what is waited for, and again after as long. */
  readonly sayAfterMs?: number | undefined;
}

/** Waits until builds have ended, and shows their progress. @throws what the signal is aborted with */
export const watchBuilds = async (
  terminal: Pick<Terminal, 'stdout' | 'stderr'>,
  port: Pick<ProjectionsPort, 'all' | 'pollMs'>,
  awaited: readonly BegunBuild[],
  { isJson, signal, sayAfterMs = SAY_AFTER_MS }: WatchOptions,
): Promise<ReadonlyMap<string, BuildOutcome>> => {
  const outcomes = new Map<string, BuildOutcome>();
  const underWay = new Map<string, { readonly line: BuildProgressLine; readonly since: number }>();
  const newsOf = createBuildUpdateFinder(awaited);
  const bars = isJson ? undefined : createBars(terminal, awaited);
  try {
    for (;;) {
      const records = await port.all();
      const now = performance.now();
      for (const { kind, line } of newsOf(records))
        if (kind === 'outcome') {
          const { projection, build: _, ...outcome } = line;
          outcomes.set(projection, outcome);
        } else {
          if (bars) bars.show(line);
          else printJson(terminal.stdout, line);
          underWay.set(line.projection, { line, since: now });
        }
      for (const [name, { line, since }] of underWay) {
        if (outcomes.has(name) || now - since < sayAfterMs) continue;
        underWay.set(name, { line, since: now });
        const awaits = waitsFor(requireRecord(name, records.get(name)), line);
        print(terminal.stderr, `${name}: waits: ${awaits}; the service's log says what fails`);
      }
      if (outcomes.size === awaited.length) return outcomes;
      await delay(port.pollMs);
      signal.throwIfAborted();
    }
  } finally {
    bars?.stop();
  }
};
