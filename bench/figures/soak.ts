import { setInterval } from 'node:timers/promises';
import { whenEnded } from '../ended.ts';
import { SERVICE, type FigureGroup, type Line, type Sample } from '../figure.ts';
import { savesByNewcomers, UNSAVE } from '../newcomers.ts';
import { startService, type Service } from '../processes/service.ts';
import { readSources } from '../requests.ts';
import { spreadOf } from '../statistics.ts';
import { formatNumber } from '../report/format.ts';
import { copyWorld } from '../worlds.ts';
import { continuing, NEWCOMERS } from './commands.ts';
import { CONNECTIONS } from './http-measures.ts';

const WINDOW_SECONDS = 30;
const MEMORY_EVERY_SECONDS = 5;
/** So that a short soak has something to compare as well. */
const MIN_WINDOWS = 6;

/** The median of the last third of the values, as a multiple of that of the first third. */
const growthOf = (values: readonly number[]): number => {
  const third = Math.floor(values.length / 3);
  return spreadOf(values.slice(-third)).median / spreadOf(values.slice(0, third)).median;
};

/** Resident memory again and again until something has ended, as `[second, MB]`. */
const watchMemory = async (service: Service, everySeconds: number, end: Promise<unknown>) => {
  const signal = whenEnded(end);
  const points: [number, number][] = [];
  try {
    let second = 0;
    for await (const _ of setInterval(everySeconds * 1_000, undefined, { signal }))
      points.push([(second += everySeconds), await service.memoryMb()]);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  return points;
};

export const soak: FigureGroup = {
  name: 'soak',
  title: 'A soak',
  about: [
    'Four reads (the lists above), a `savePosting` and an `unsavePosting` in turns, at half the rate that the same mix reached on 64 connections. Lists stay as long as they are while the event log grows. An answer that is not 2xx or is missing, or an error in the log, fails the soak. Latencies count from when a request was due.',
    `Flat means: the median of the last third is at most 1.1 times (memory) or 1.5 times (p99) that of the first. Memory is what \`/metrics\` says every ${MEMORY_EVERY_SECONDS} seconds; p99 is taken over ${WINDOW_SECONDS} seconds.`,
  ],
  measures: [
    { name: 'perSecond', title: 'requests/s', digits: 0 },
    { name: 'requests', title: 'requests', digits: 0 },
    { name: 'p50', title: 'p50, ms', digits: 2 },
    { name: 'p99', title: 'p99, ms', digits: 2 },
    { name: 'memoryMb', title: 'most resident, MB', digits: 0 },
    { name: 'memoryGrowth', title: 'memory, last third to first', digits: 2 },
    { name: 'p99Growth', title: 'p99, last third to first', digits: 2 },
  ],
  isDefault: false,
  async *figures({ settings: { events, seconds, minutes }, world, scratch, load, keep }) {
    const { directory, population } = await world(events);
    const copy = await scratch();
    await copyWorld(directory, copy);
    const service = keep(await startService(copy));
    const { url } = service;
    const saves = await savesByNewcomers(url, population, 'newcomer', NEWCOMERS);
    const reads = await readSources(population);
    const connections = CONNECTIONS.commands;
    const saving = continuing(saves, (source) => load({ url, seconds, connections, sources: [source] }));
    await saving.next();
    const unsaving = { ...saves, path: UNSAVE };
    const loaded = continuing(saving.left(), (source) =>
      load({ url, seconds, connections, sources: [source, unsaving, ...reads] }),
    );
    const peak = await loaded.next();
    const left = { ...unsaving, first: peak.sent[1] ?? 0 };

    let lines: Line[] = [];
    const measure = async (): Promise<Sample> => {
      const length = minutes * 60;
      const windowSeconds = Math.max(1, Math.min(WINDOW_SECONDS, length / MIN_WINDOWS));
      const loading = load({
        url,
        seconds: length,
        connections,
        sources: [loaded.left(), left, ...reads],
        rate: peak.perSecond / 2,
        windowSeconds,
      });
      const memory = await watchMemory(service, Math.min(MEMORY_EVERY_SECONDS, length / MIN_WINDOWS), loading);
      const { windows, requests, perSecond, p50, p99 } = await loading;
      const p99s = windows.map((window, index) => [(index + 1) * windowSeconds, window.p99]);
      lines = [
        { name: 'resident memory', unit: 'MB', points: memory },
        { name: 'p99', unit: 'ms', points: p99s },
      ];
      const megabytes = memory.map(([, mb]) => mb);
      return {
        perSecond,
        requests,
        p50,
        p99,
        memoryMb: Math.max(...megabytes),
        memoryGrowth: growthOf(megabytes),
        p99Growth: growthOf(windows.map((window) => window.p99)),
      };
    };
    yield {
      name: `${minutes} minutes at ${Math.round(peak.perSecond / 2)} requests/s, ${formatNumber(population.events, 0)} events before`,
      contenders: [{ name: SERVICE, measure }],
      targets: [
        { says: 'memory, last third to first third', measure: 'memoryGrowth', of: SERVICE, must: { atMost: 1.1 } },
        { says: 'p99, last third to first third', measure: 'p99Growth', of: SERVICE, must: { atMost: 1.5 } },
      ],
      warmsUp: false,
      rounds: 1,
      lines: () => lines,
    };
  },
};
