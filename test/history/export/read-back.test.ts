import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import fc from 'fast-check';
import { postingDecider } from '../../../src/domain/posting.ts';
import type { RecordedEvent } from '../../../src/event-store/port.ts';
import { eventTablesOf, type EventTable } from '../../../src/history/export/export-columns.ts';
import { toHistoryEvent, type HistoryEvent } from '../../../src/history/moment/history-event.ts';
import { maskBy } from '../../../src/history/moment/mask.ts';
import { withDatabase, literal, quotedIdentifier, rowsOfQuery } from '../../../src/history/warehouse/duckdb.ts';
import { bodies } from '../../support/examples.ts';
import { on, storeWith } from '../../support/facts.ts';
import { pythonPrints } from '../../support/python.ts';
import { itWith, pythonWith } from '../../support/tools.ts';
import { refusalOf } from '../../support/refusal-of.ts';
import { eventLists, eventsIn, exportInto, inDirectory, maskSecret, storeOf } from './stage.ts';

const samples = fc.sample(eventLists, { numRuns: 8, seed: 17 });
const tables = eventTablesOf(true);
const mask = maskBy(maskSecret);

/** The values of the common columns. */
const commonOf = (event: HistoryEvent): readonly (string | number | null)[] => [
  ...[event.position, event.stream, event.revision, event.id, event.version, event.recordedAt],
  ...[event.actor, event.requestId, event.correlationId],
];

const textOf = (value: unknown, { type }: EventTable['columns'][number]): string | null => {
  if (value === null || value === undefined) return null;
  return type === 'JSON' || typeof value !== 'string' ? JSON.stringify(value) : value;
};

/** The rows of a table that a log makes, as text. */
const rowsOf = ({ type, columns }: EventTable, events: readonly RecordedEvent[]) =>
  events
    .filter((event) => event.type === type)
    .flatMap((recorded) => {
      const event = toHistoryEvent(recorded, mask);
      const { data } = event;
      if (!data) return [];
      const common = commonOf(event);
      return [
        columns.map((column, at) =>
          textOf(at < common.length ? common[at] : Object.hasOwn(data, column.name) ? data[column.name] : null, column),
        ),
      ];
    });

const filesOfTable = (directory: string, { type }: EventTable, ending: string) =>
  readdirSync(directory)
    .filter((name) => name.startsWith(`${type}-`) && name.endsWith(ending))
    .sort()
    .map((name) => join(directory, name));

/** A column as text, as an event has it. */
const asText = ({ name, type }: EventTable['columns'][number]) => {
  if (type === 'TIMESTAMP') return `strftime(${quotedIdentifier(name)} AT TIME ZONE 'UTC', '%Y-%m-%dT%H:%M:%S.%gZ')`;
  return type === 'DOUBLE' ? `to_json(${quotedIdentifier(name)})` : `CAST(${quotedIdentifier(name)} AS VARCHAR)`;
};

const numeric = (table: EventTable, rows: readonly (readonly unknown[])[]) =>
  rows.map((row) =>
    row.map((cell, at) => (table.columns[at]?.type === 'DOUBLE' && cell !== null ? Number(cell) : cell)),
  );

describe('The rows of an export are those of the log', () => {
  it('read back from Parquet by DuckDB, with typed columns', async () => {
    for (const events of samples.slice(0, 3))
      await inDirectory(async (directory) => {
        const log = await storeOf(events);
        await exportInto(log, directory, { format: 'parquet', types: undefined });
        const stored = await eventsIn(log);
        const files = tables.flatMap((table) => filesOfTable(directory, table, '.parquet'));
        const bounds = { spillTo: directory, isReadOnly: false, threads: 1, writes: files } as const;
        await withDatabase(
          ':memory:',
          bounds,
        )(async (database) => {
          for (const table of tables) {
            const [own, expected] = [filesOfTable(directory, table, '.parquet'), rowsOf(table, stored)];
            expect(own.length > 0).to.equal(expected.length > 0);
            if (own.length === 0) continue;
            const from = `read_parquet([${own.map(literal).join()}])`;
            const select = `SELECT ${table.columns.map(asText).join()} FROM ${from} ORDER BY position`;
            expect(numeric(table, await rowsOfQuery(database, select))).to.deep.equal(numeric(table, expected));
            const types = await rowsOfQuery(database, `SELECT column_name, column_type FROM (DESCRIBE FROM ${from})`);
            expect(types).to.deep.equal(
              table.columns.map(({ name, type }) => [name, type === 'TIMESTAMP' ? 'TIMESTAMP WITH TIME ZONE' : type]),
            );
          }
        });
      });
  });

  itWith([pythonWith('csv')], "read back from CSV by Python's csv", () => {
    const [events = []] = samples.slice(3);
    return inDirectory(async (directory) => {
      const log = await storeOf(events);
      await exportInto(log, directory, { format: 'csv', types: undefined });
      const stored = await eventsIn(log);
      const program = `
import csv, json, sys
rows = {}
for file in sys.argv[1:]:
    with open(file, newline='', encoding='utf-8') as opened:
        lines = csv.reader(opened)
        headings = next(lines)
        rows.setdefault(file.split('/')[-1].split('-')[0], []).extend(dict(zip(headings, line)) for line in lines)
print(json.dumps(rows))`;
      const guarded = (cell: string | null) => (cell !== null && /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : (cell ?? ''));
      const expected = tables.flatMap((table) => {
        const rows = rowsOf(table, stored).map((row) =>
          Object.fromEntries(
            table.columns.map(({ name, type }, at) => [
              name,
              type === 'BIGINT' || type === 'DOUBLE' ? (row[at] ?? '') : guarded(row[at] ?? null),
            ]),
          ),
        );
        return rows.length > 0 ? [[table.type, rows] as const] : [];
      });
      const files = tables.flatMap((table) => filesOfTable(directory, table, '.csv'));
      expect(pythonPrints(program, ...files)).to.deep.equal(Object.fromEntries(expected));
    });
  });
});

describe('A cell of an export as CSV', () => {
  it('that a spreadsheet would run as a formula begins with a quote', () =>
    inDirectory(async (directory) => {
      const data = { postingId: 'p1', ...bodies.posting, title: '=HYPERLINK("https://example.com")' };
      const log = await storeWith([on(postingDecider, 'p1')({ type: 'PostingRecorded', data })]);
      await exportInto(log, directory, { format: 'csv', types: undefined });
      const text = await readFile(join(directory, 'PostingRecorded-00001.csv'), 'utf8');
      expect(text).to.include(`,"'=HYPERLINK(""https://example.com"")",`);
    }));
});

describe('The columns of an export', () => {
  const recorded = () =>
    storeWith([on(postingDecider, 'p1')({ type: 'PostingRecorded', data: { postingId: 'p1', ...bodies.posting } })]);

  it('are those chosen, in that order, after a byte order mark where one is asked for', () =>
    inDirectory(async (directory) => {
      const columns = ['postingId', 'recorded_at'];
      await exportInto(await recorded(), directory, { format: 'csv', types: undefined, columns, bom: true });
      const text = await readFile(join(directory, 'PostingRecorded-00001.csv'), 'utf8');
      expect(text).to.match(/^\uFEFFpostingId,recorded_at\r\np1,\d{4}-\d{2}-\d{2}T[\d:.]{12}Z\r\n$/);
    }));

  it('are refused where no table has one of that name', () =>
    inDirectory(async (directory) => {
      const form = { format: 'csv', types: undefined, columns: ['posting'] } as const;
      const { message } = await refusalOf(exportInto(await recorded(), directory, form));
      expect(message).to.match(/^There is no column posting; there are position, stream, /);
    }));

  it('have one name each, whatever the case of its letters', () => {
    for (const { columns } of [...eventTablesOf(true), ...eventTablesOf(false)]) {
      const names = columns.map(({ name }) => name.toLowerCase());
      expect(new Set(names).size).to.equal(names.length);
    }
  });
});
