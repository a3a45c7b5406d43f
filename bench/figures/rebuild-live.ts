import { whenEnded } from '../ended.ts';
import { SERVICE, type Contender, type FigureGroup, type Line, type Sample } from '../figure.ts';
import { LoadResult } from '../load/spec.ts';
import { savesByNewcomers } from '../newcomers.ts';
import { startChildProcess } from '../processes/child.ts';
import { runHiring } from '../processes/hiring.ts';
import { startService } from '../processes/service.ts';
import { formatNumber } from '../report/format.ts';
import { readSources } from '../requests.ts';
import { medianOf } from '../statistics.ts';
import { copyWorld } from '../worlds.ts';
import { continuing, NEWCOMERS } from './commands.ts';

const READERS = 48;
const WRITERS = 16;
/** A load is made of parts of so many times the usual length. */
const PART = 3;
const QUIET_PARTS = 6;
/** After the switch, while what was served before is dropped. */
const PARTS_AFTER = 2;

const QUIET = 'no rebuild';

interface Part {
  readonly reads: LoadResult;
  readonly saves: LoadResult;
  readonly memoryMb: number;
}

const sampleOf = (parts: readonly Part[]): Sample => {
  const p99s = parts.map(({ reads }) => reads.p99);
  return {
    reads: medianOf(parts.map(({ reads }) => reads.perSecond)),
    p50: medianOf(parts.map(({ reads }) => reads.p50)),
    p99: medianOf(p99s),
    worst: Math.max(...p99s),
    saves: medianOf(parts.map(({ saves }) => saves.perSecond)),
    savesP99: medianOf(parts.map(({ saves }) => saves.p99)),
    memoryMb: Math.max(...parts.map(({ memoryMb }) => memoryMb)),
  };
};

export const rebuildLive: FigureGroup = {
  name: 'rebuild-live',
  title: 'Rebuilding all projections while they serve',
  about: [
    `\`hiring projections rebuild --all --keep 0\` beside a service with ${READERS} reading clients (the lists above) and ${WRITERS} writing ones (\`savePosting\`), each as fast as it is answered; and the same load without a rebuild. The rebuild includes comparing, switching and dropping. The load has parts: a cell is the median of the parts of a round, "the worst p99" that of the worst part. An answer that is not 2xx or is missing, an error in the log, or a rebuild that is not served in the end fails the benchmark.`,
    'After the last round `hiring projections verify --all` must find no difference from a rebuild from zero.',
  ],
  measures: [
    { name: 'reads', title: 'reads/s', digits: 0 },
    { name: 'p50', title: 'p50 of reads, ms', digits: 2 },
    { name: 'p99', title: 'p99 of reads, ms', digits: 2 },
    { name: 'worst', title: 'the worst p99, ms', digits: 2 },
    { name: 'saves', title: 'saves/s', digits: 0 },
    { name: 'savesP99', title: 'p99 of saves, ms', digits: 2 },
    { name: 'memoryMb', title: 'most resident, MB', digits: 0 },
    { name: 'seconds', title: 'rebuilding, s', digits: 0 },
  ],
  // It takes a quarter of an hour.
  isDefault: false,
  async *figures({ settings: { events, seconds: usual }, world, scratch, load, keep }) {
    const { directory, population } = await world(events);
    const copy = await scratch();
    await copyWorld(directory, copy);
    const service = await startService(copy);
    const { url } = service;
    const seconds = usual * PART;
    const sources = await readSources(population);
    const writers = keep(startChildProcess('load'));
    const saving = continuing(await savesByNewcomers(url, population, 'newcomer', NEWCOMERS), (saves) =>
      writers.ask({ url, seconds, connections: WRITERS, sources: [saves] }, LoadResult),
    );
    const part = async (): Promise<Part> => {
      const [reads, saves] = await Promise.all([load({ url, seconds, connections: READERS, sources }), saving.next()]);
      return { reads, saves, memoryMb: await service.memoryMb() };
    };
    await part();

    let p99s: Line['points'] = [];
    const quiet: Contender = {
      name: QUIET,
      async measure() {
        const parts: Part[] = [];
        while (parts.length < QUIET_PARTS) parts.push(await part());
        return sampleOf(parts);
      },
    };
    const rebuilding: Contender = {
      name: SERVICE,
      async measure() {
        const started = performance.now();
        const elapsed = () => (performance.now() - started) / 1_000;
        let tookSeconds = 0;
        const rebuilt = runHiring(copy, ['projections', 'rebuild', '--all', '--keep', '0', '--json']).then(
          () => (tookSeconds = elapsed()),
        );
        const ended = whenEnded(rebuilt);
        const parts: Part[] = [];
        p99s = [];
        const add = async () => {
          const measured = await part();
          parts.push(measured);
          p99s = [...p99s, [Math.round(elapsed()), measured.reads.p99]];
        };
        while (!ended.aborted) await add();
        await rebuilt;
        for (let left = PARTS_AFTER; left > 0; left--) await add();
        return { ...sampleOf(parts), seconds: tookSeconds };
      },
    };
    const against = { of: SERVICE, against: QUIET } as const;
    yield {
      name: `all projections, ${formatNumber(population.events, 0)} events, ${READERS + WRITERS} clients`,
      contenders: [quiet, rebuilding],
      targets: [
        {
          says: 'p99 of reads, as a multiple of that without a rebuild',
          measure: 'p99',
          ...against,
          must: { atMost: 2 },
        },
        {
          says: 'p99 of reads in the worst part, as a multiple of that without a rebuild',
          measure: 'worst',
          ...against,
          must: { atMost: 3 },
        },
        { says: 'most resident memory, MB', measure: 'memoryMb', of: SERVICE, must: { atMost: 500 } },
      ],
      warmsUp: false,
      rounds: 1,
      lines: () => [{ name: 'p99 of reads, last rebuild', unit: 'ms', points: p99s }],
    };
    await service.end();
    await runHiring(copy, ['projections', 'verify', '--all', '--json']);
  },
};
