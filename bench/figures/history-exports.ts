import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Type } from '../../src/schema/typebox.ts';
import { exportFormats } from '../../src/history/export/formats.ts';
import type { Context, World } from '../context.ts';
import type { Contender, Figure } from '../figure.ts';
import { askOnce } from '../processes/child.ts';
import { measureHiring } from '../processes/hiring.ts';
import { formatNumber } from '../report/format.ts';

const RAW = 'reading and parsing alone';
const Read = Type.Object({ events: Type.Number(), seconds: Type.Number(), memoryMb: Type.Number() });

/** Exports in every format, beside reading and parsing the same events. */
export const exportsOf = ({ directory, population }: World, { scratch }: Context): Figure => {
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
  const share = (format: string, atLeast: number) => ({
    says: `${format}: events a second, as a share of reading and parsing alone`,
    measure: 'perSecond',
    of: format,
    against: RAW,
    must: { atLeast },
  });
  return {
    name: `export, ${formatNumber(events, 0)} events`,
    contenders: [raw, ...exportFormats.map(exporting)],
    targets: [
      share('ndjson', 0.5),
      share('parquet', 0.3),
      ...exportFormats.map((format) => ({
        says: `${format}: peak resident memory, MB`,
        measure: 'memoryMb',
        of: format,
        must: { atMost: 300 },
      })),
    ],
    warmsUp: false,
    rounds: 3,
  };
};
