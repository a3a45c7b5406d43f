import { join } from 'node:path';
import type { Context, World } from '../context.ts';
import { whenEnded } from '../ended.ts';
import { SERVICE, type Contender, type Figure, type Sample } from '../figure.ts';
import type { LoadResult } from '../load/spec.ts';
import { runHiring } from '../processes/hiring.ts';
import { formatNumber } from '../report/format.ts';
import { readSources } from '../requests.ts';
import { spreadOf } from '../statistics.ts';

const CONNECTIONS = 50;
const QUIET_PARTS = 4;
const QUIET = 'no export';

const sampleOf = (parts: readonly LoadResult[]): Sample => ({
  reads: spreadOf(parts.map(({ perSecond }) => perSecond)).median,
  p50: spreadOf(parts.map(({ p50 }) => p50)).median,
  p99: spreadOf(parts.map(({ p99 }) => p99)).median,
});

/** Reads of a service at half the rate that it can answer, with and without an export beside it. */
export const readsBesideExport = async (
  { directory, population }: World,
  url: string,
  { settings: { seconds }, scratch, load }: Context,
): Promise<Figure> => {
  const spec = { url, seconds, connections: CONNECTIONS, sources: await readSources(population) };
  await load(spec);
  const { perSecond } = await load(spec);
  const part = () => load({ ...spec, rate: Math.max(1, Math.round(perSecond / 2)) });
  const quiet: Contender = {
    name: QUIET,
    async measure() {
      const parts: LoadResult[] = [];
      while (parts.length < QUIET_PARTS) parts.push(await part());
      return sampleOf(parts);
    },
  };
  const exporting: Contender = {
    name: SERVICE,
    async measure() {
      const out = join(await scratch(), 'export');
      const exported = runHiring(directory, ['history', 'export', '--format', 'ndjson', '--out', out]);
      const ended = whenEnded(exported);
      const parts: LoadResult[] = [];
      while (!ended.aborted) parts.push(await part());
      await exported;
      // The last part outlasted the export.
      return sampleOf(parts.length > 1 ? parts.slice(0, -1) : parts);
    },
  };
  return {
    name: `reads at half the rate, ${formatNumber(population.events, 0)} events`,
    contenders: [quiet, exporting],
    targets: [
      {
        says: 'p99 of reads, as a multiple of that without an export',
        measure: 'p99',
        of: SERVICE,
        against: QUIET,
        must: { atMost: 2 },
      },
    ],
    warmsUp: false,
    rounds: 3,
  };
};
