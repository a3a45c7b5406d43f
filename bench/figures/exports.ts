import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Type } from '../../src/schema/typebox.ts';
import { exportFormats } from '../../src/history/export/formats.ts';
import type { Context, World } from '../context.ts';
import type { Contender, Figure, FigureGroup, Target } from '../figure.ts';
import { askOnce } from '../processes/child.ts';
import { measureHiring } from '../processes/hiring.ts';
import { formatNumber } from '../report/format.ts';

const RAW = 'reading and parsing alone';
const Read = Type.Object({ events: Type.Number(), seconds: Type.Number(), memoryMb: Type.Number() });

/** It takes minutes. */
const SLOW = 'ocel';
const QUICK = exportFormats.filter((format) => format !== SLOW);

/** Exports in every format, beside reading and parsing the same events. */
const exportsOf = ({ directory, population }: World, { scratch }: Context): readonly Figure[] => {
  const { events } = population;
  const raw: Contender = {
    name: RAW,
    async measure() {
      const read = await askOnce('read-raw', { eventsFile: join(directory, 'events.db') }, Read);
      return { perSecond: read.events / read.seconds, seconds: read.seconds, memoryMb: read.memoryMb };
    },
  };
  const exporting = (format: string): Contender => ({
    name: format,
    async measure() {
      const out = join(await scratch(), 'export');
      const { seconds, memoryMb } = await measureHiring(directory, [
        ...['history', 'export', '--format', format, '--out', out],
      ]);
      await rm(out, { recursive: true });
      return { perSecond: events / seconds, seconds, memoryMb };
    },
  });
  const share = (format: string, atLeast: number): Target => ({
    says: `${format}: events a second, as a share of reading and parsing alone`,
    measure: 'perSecond',
    of: format,
    against: RAW,
    must: { atLeast },
  });
  const bounded = (format: string): Target => ({
    says: `${format}: peak resident memory, MB`,
    measure: 'memoryMb',
    of: format,
    must: { atMost: 300 },
  });
  const name = `export, ${formatNumber(events, 0)} events`;
  return [
    {
      name,
      contenders: [raw, ...QUICK.map(exporting)],
      targets: [share('ndjson', 0.27), share('csv', 0.45), share('parquet', 0.45), ...QUICK.map(bounded)],
      // The first run makes the warehouse.
      warmsUp: true,
      rounds: 3,
    },
    {
      name: `${name}, object-centric`,
      contenders: [exporting(SLOW)],
      targets: [bounded(SLOW), { says: `${SLOW}: seconds`, measure: 'seconds', of: SLOW, must: { atMost: 120 } }],
      warmsUp: false,
      rounds: 1,
    },
  ];
};

export const exportsGroup: FigureGroup = {
  name: 'exports',
  title: 'Exports',
  about: [
    '`hiring history export` of all events: the whole command with its start, until the files are on disk. Baseline: reading every column of every event, and `JSON.parse` of what is JSON. The object-centric export is measured once.',
  ],
  measures: [
    { name: 'perSecond', title: 'events/s', digits: 0 },
    { name: 'seconds', title: 'seconds', digits: 2 },
    { name: 'memoryMb', title: 'peak resident, MB', digits: 0 },
  ],
  // It takes minutes.
  isDefault: false,
  async *figures(context) {
    yield* exportsOf(await context.world(context.settings.events), context);
  },
};
