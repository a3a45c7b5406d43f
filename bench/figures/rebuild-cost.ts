import { rm } from 'node:fs/promises';
import { Type } from '../../src/schema/typebox.ts';
import { projections } from '../../projections/index.ts';
import { checker } from '../../src/schema/validation.ts';
import { SERVICE, type Contender, type FigureGroup, type Sample } from '../figure.ts';
import { peakMemoryOf, runHiring } from '../processes/hiring.ts';
import { formatNumber } from '../report/format.ts';
import { copyWorld } from '../worlds.ts';

const CATCH_UP = 'plain catch-up';
const REBUILD = ['projections', 'rebuild', '--all', '--keep', '0', '--json'];

/** What `rebuild --json` tells of a build; the last lines are of outcomes. */
const progressIn = checker(
  Type.Object({ projection: Type.String(), step: Type.String() }),
  'a line of progress',
);

/** Runs the command on the files of a directory, and measures until every build has reached the head of the log. */
const measureRebuild = async (directory: string, events: number): Promise<Sample> => {
  const left = new Set(projections.map(({ name }) => name));
  const started = performance.now();
  let begunAt = 0;
  let seconds = 0;
  let memoryMb = 0;
  const onLine = (line: string, pid: number) => {
    const now = performance.now();
    begunAt ||= now;
    memoryMb = Math.max(memoryMb, peakMemoryOf(pid));
    const said = progressIn(JSON.parse(line));
    if (said.ok && said.value.step !== 'build' && left.delete(said.value.projection))
      seconds = (now - begunAt) / 1_000;
  };
  await runHiring(directory, REBUILD, { onLine });
  if (left.size > 0) throw new Error(`It was not told when ${[...left].join(', ')} was built`);
  const wholeSeconds = (performance.now() - started) / 1_000;
  return { perSecond: events / seconds, seconds, wholeSeconds, memoryMb };
};

export const rebuildCost: FigureGroup = {
  name: 'rebuild-cost',
  title: 'What a rebuild beside the live read models costs',
  about: [
    '`hiring projections rebuild --all --keep 0` with nothing else running. "Building" ends when the last build has reached the head of the event log. "In all" is the whole command, which then compares, switches and drops the old builds.',
    'Baseline, the plain catch-up: the same command on the event log alone, with nothing to compare with. The copied files are on disk before the command starts.',
  ],
  measures: [
    { name: 'perSecond', title: 'events/s', digits: 0 },
    { name: 'seconds', title: 'building, s', digits: 1 },
    { name: 'wholeSeconds', title: 'in all, s', digits: 1 },
    { name: 'memoryMb', title: 'peak resident, MB', digits: 0 },
  ],
  // It takes a quarter of an hour.
  isDefault: false,
  async *figures({ settings: { events }, world, scratch }) {
    const { directory, population } = await world(events);
    /** @param isBeside whether there are live read models */
    const contender = (name: string, isBeside: boolean): Contender => ({
      name,
      async measure() {
        const copy = await scratch();
        await copyWorld(directory, copy, isBeside ? 'all' : 'log');
        // The copy has no build registry: this says that what it holds is complete.
        if (isBeside) await runHiring(copy, REBUILD);
        const sample = await measureRebuild(copy, population.events);
        await rm(copy, { recursive: true });
        return sample;
      },
    });
    yield {
      name: `all projections, ${formatNumber(population.events, 0)} events`,
      contenders: [contender(SERVICE, true), contender(CATCH_UP, false)],
      targets: [
        {
          says: 'events a second until all is built, as a share of the plain catch-up',
          measure: 'perSecond',
          of: SERVICE,
          against: CATCH_UP,
          must: { atLeast: 1 },
        },
        { says: 'peak resident memory, MB', measure: 'memoryMb', of: SERVICE, must: { atMost: 300 } },
      ],
      warmsUp: false,
      rounds: 3,
    };
  },
};
