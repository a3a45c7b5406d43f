import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RecordedEvent } from '../../../src/event-store/port.ts';
import { START_POSITION } from '../../../src/event-store/port.ts';
import { createReportFromWarehouse, type Report, type ReportRequest } from '../../../src/history/report/report.ts';
import { withDatabase } from '../../../src/history/warehouse/duckdb.ts';
import { WAREHOUSE_FILE } from '../../../src/history/warehouse/runnable-statement.ts';
import { refresh } from '../warehouse/stage.ts';

/** A warehouse of events, of which reports are made until it is closed. */
export const openReports = async (events: readonly RecordedEvent[]) => {
  const directory = await mkdtemp(join(tmpdir(), 'hiring-report-'));
  await refresh(directory, events);
  const { signal } = new AbortController();
  return {
    report: (request: Partial<ReportRequest> = {}): Promise<Report> =>
      withDatabase(join(directory, WAREHOUSE_FILE), {
        spillTo: join(directory, 'spill'),
        isReadOnly: true,
        threads: 2,
        timeZone: request.timeZone,
      })((database) =>
        createReportFromWarehouse(
          database,
          events.at(-1)?.position ?? START_POSITION,
          { withPersonalData: true, ...request },
          signal,
        ),
      ),
    close: () => rm(directory, { recursive: true }),
  };
};

type Reports = Awaited<ReturnType<typeof openReports>>;

export const withReports = async <T>(
  events: readonly RecordedEvent[],
  use: (report: Reports['report']) => Promise<T>,
): Promise<T> => {
  const { report, close } = await openReports(events);
  return use(report).finally(close);
};

const textOf = (markup: string): string =>
  markup
    .replace(/<[^>]*>/g, '')
    .replace(/&amp;/g, '&')
    .replace(/\s+/g, ' ')
    .trim();

/** The rows of each table of a page, by its caption. */
export const tablesIn = (page: string): Readonly<Record<string, readonly (readonly string[])[]>> =>
  Object.fromEntries(
    [...page.matchAll(/<caption>([\s\S]*?)<\/caption>[\s\S]*?<tbody>([\s\S]*?)<\/tbody>/g)].map(
      ([, caption = '', body = '']) => [
        textOf(caption),
        [...body.matchAll(/<tr>([\s\S]*?)<\/tr>/g)].map(([, row = '']) =>
          [...row.matchAll(/<t[hd][^>]*>([\s\S]*?)<\/t[hd]>/g)].map(([, cell = '']) => textOf(cell)),
        ),
      ],
    ),
  );

/** The numbers at the head of a page, by their names. */
export const totalsIn = (page: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    [...page.matchAll(/<dt>([^<]*)<\/dt>\s*<dd>([^<]*)<\/dd>/g)].map(([, name = '', value = '']) => [
      textOf(name),
      textOf(value),
    ]),
  );
