import { truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import fc from 'fast-check';
import type { EventStore } from '../../../src/event-store/port.ts';
import type { ExportFormatOptions } from '../../../src/history/export/formats.ts';
import { eventLists, eventsIn, exportInto, filesOf, inDirectory, storeOf } from './stage.ts';
import { refusalOf } from '../../support/refusal-of.ts';

const [events = [], others = []] = fc.sample(eventLists, { numRuns: 2, seed: 5 });
const ndjson: ExportFormatOptions = { format: 'ndjson', types: undefined };

describe('An export is refused, and nothing changed', () => {
  let log: EventStore;
  beforeEach(async () => void (log = await storeOf(events)));

  const refusal = async (directory: string, run: () => Promise<unknown>): Promise<string> => {
    const before = await filesOf(directory);
    const { message } = await refusalOf(run());
    expect(await filesOf(directory)).to.deep.equal(before);
    return message;
  };
  type Run = (directory: string) => Promise<unknown>;
  const again: Run = (directory) => exportInto(log, directory, ndjson);
  /** What is asked for, what the refusal says, the export, and what is done to the files before it. */
  const refusals: readonly (readonly [string, RegExp, Run, ((directory: string) => unknown)?])[] = [
    [
      'another format',
      /the format ndjson; asked for is the format csv/,
      (directory) => exportInto(log, directory, { format: 'csv', types: undefined }),
    ],
    [
      'other types',
      /all types; asked for is the types PostingSaved/,
      (directory) => exportInto(log, directory, { format: 'ndjson', types: ['PostingSaved'] }),
    ],
    [
      'other masks',
      /masks .*; asked for is personal data/,
      (directory) => exportInto(log, directory, ndjson, { withPersonalData: true }),
    ],
    [
      'other code',
      /version 1.0.0; asked for is version 2.0.0/,
      (directory) => exportInto(log, directory, ndjson, { code: '2.0.0' }),
    ],
    [
      'another time',
      /no time; asked for is the time 2026-03-01T09:00:00.000Z/,
      (directory) => exportInto(log, directory, ndjson, { at: '2026-03-01T09:00:00.000Z' }),
    ],
    [
      'an earlier position',
      /holds an export up to .*, which is after/,
      async (directory) => exportInto(log, directory, ndjson, { upTo: (await eventsIn(log))[0]?.position ?? '' }),
    ],
    [
      'another event log',
      /holds an export of another event log/,
      async (directory) =>
        exportInto(await storeOf(others.map((event, at) => ({ ...event, id: `other-${at}` }))), directory, ndjson, {
          upTo: await log.head(),
        }),
    ],
    [
      'a file that has lost bytes',
      /events\.ndjson has 10 bytes of the/,
      again,
      (directory) => truncateSync(join(directory, 'events.ndjson'), 10),
    ],
    [
      'a file that was changed',
      /events\.ndjson is not what the manifest tells/,
      async (directory) => {
        await log.append({
          stream: 'office-new',
          expectedRevision: -1,
          events: [{ id: 'new', type: 'Unknown', version: 1, data: {}, metadata: {} }],
        });
        return again(directory);
      },
      (directory) => writeFileSync(join(directory, 'events.ndjson'), 'x', { flag: 'r+' }),
    ],
    [
      'a manifest that is none',
      /manifest\.json cannot be read/,
      again,
      (directory) => writeFileSync(join(directory, 'manifest.json'), '{}'),
    ],
  ];
  for (const [what, says, run, damage] of refusals)
    it(`for ${what}`, () =>
      inDirectory(async (directory) => {
        await again(directory);
        await damage?.(directory);
        expect(await refusal(directory, () => run(directory))).to.match(says);
      }));

  it('for an earlier position of an object-centric event log', () =>
    inDirectory(async (directory) => {
      const ocel: ExportFormatOptions = { format: 'ocel', types: undefined };
      await exportInto(log, directory, ocel);
      const upTo = (await eventsIn(log))[0]?.position ?? '';
      expect(await refusal(directory, () => exportInto(log, directory, ocel, { upTo }))).to.match(
        /holds an export up to .*, which is after .*; allowed: that position or a later one/,
      );
    }));

  it('for a directory with other files', () =>
    inDirectory(async (directory) => {
      writeFileSync(join(directory, 'thesis.txt'), 'precious');
      expect(await refusal(directory, () => again(directory))).to.match(/holds files \(thesis\.txt\), but no export/);
    }));
});
