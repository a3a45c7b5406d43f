import { join } from 'node:path';
import { whenEnded } from '../ended.ts';
import { SERVICE, type Contender, type FigureGroup, type Sample } from '../figure.ts';
import type { LoadResult } from '../load/spec.ts';
import { runHiring } from '../processes/hiring.ts';
import { startService } from '../processes/service.ts';
import { formatNumber } from '../report/format.ts';
import { readSources } from '../requests.ts';
import { medianOf } from '../statistics.ts';

const CONNECTIONS = 50;
const QUIET_PARTS = 4;
const QUIET = 'no export';

const sampleOf = (parts: readonly LoadResult[]): Sample => ({
  reads: medianOf(parts.map(({ perSecond }) => perSecond)),
  p50: medianOf(parts.map(({ p50 }) => p50)),
  p99: medianOf(parts.map(({ p99 }) => p99)),
});

export const historyBeside: FigureGroup = {
  name: 'history-beside',
  title: 'Reads beside an export',
  about: [
    `Four lists over HTTP on ${CONNECTIONS} connections, at half of what the service can answer on them: beside \`hiring history export --format ndjson\` on the same cores, and without it. A load has parts: a cell is the median of the parts of a round.`,
  ],
  measures: [
    { name: 'reads', title: 'reads/s', digits: 0 },
    { name: 'p50', title: 'p50, ms', digits: 2 },
    { name: 'p99', title: 'p99, ms', digits: 2 },
  ],
  // It takes some minutes.
  isDefault: false,
  async *figures({ settings: { events, seconds }, world, scratch, load, keep }) {
    const { directory, population } = await world(events);
    const { url } = keep(await startService(directory));
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
    yield {
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
  },
};
