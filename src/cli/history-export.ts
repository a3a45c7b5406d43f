import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import { Option } from 'commander';
import { notedAsLost } from '../event-store/embedded/lost.ts';
import { lostInWords } from '../event-store/log-part.ts';
import { exportHistory } from '../history/export/export.ts';
import { exportBeside } from '../history/export/export-beside.ts';
import {
  caseKinds,
  exportFormats,
  type CaseKind,
  type ExportForm,
  type ExportFormat,
} from '../history/export/form.ts';
import { warehouseWriting } from '../history/export/formats.ts';
import type { ExportManifest } from '../history/export/manifest.ts';
import { ndjsonWriting } from '../history/export/ndjson.ts';
import { shownLogOf, type ShownLog } from '../history/find/shown-log.ts';
import { maskBy, type ShownAs } from '../history/moment/mask.ts';
import { MOMENT, momentsOf, momentText, UP_TO, type EventsMeant } from '../history/moment/moment.ts';
import { throttled } from '../history/warehouse/copy-source.ts';
import { refuseWithoutDuckDB } from '../history/warehouse/duckdb.ts';
import { prepareBeside } from '../history/warehouse/prepare-beside.ts';
import { prepareWarehouse } from '../history/warehouse/prepare.ts';
import { withWarehouse } from '../history/warehouse/session.ts';
import { createLeakyBucket } from '../lib/leaky-bucket.ts';
import { using } from '../lib/using.ts';
import { openLog, type EventStoreSettings, type StoreSettings } from '../stores.ts';
import { asCliError } from './parts/audit.ts';
import { CliError } from './parts/cli-error.ts';
import { codeVersion } from '../lib/code-version.ts';
import { DirectoryInUse, takeDataDirectory } from './parts/data-directory.ts';
import { sayDropped } from './parts/dropped.ts';
import { historyConfigOf } from './parts/event-file.ts';
import { FROM_SERVICE, fromService, type From } from './parts/from.ts';
import {
  reasonFor,
  recordingPersonalData,
  withPersonalOptions,
  type PersonalOptions,
} from './parts/personal-data.ts';

import { reading } from './parts/salvage.ts';
import { sayNowAndThen } from './parts/say-now-and-then.ts';
import { A_REQUEST } from './parts/service-events.ts';
import { openServiceCopySource } from './parts/service-copy-source.ts';
import { copiedFrom, copyDirectoryOf, deleteUnkeptCopy } from './parts/sql-copy.ts';
import { endingOf, type Terminal } from './parts/terminal.ts';
import { preparing, type Prepare } from './parts/warehouse.ts';
import { eventType, integer, logPosition, moment, names } from './parts/values.ts';
import { print } from './parts/print.ts';

export interface ExportCommandOptions extends PersonalOptions {
  readonly from?: From;
  readonly format: ExportFormat;
  readonly out: string;
  /** Left out: now. */
  readonly to?: string;
  readonly upTo?: string;
  readonly type?: readonly string[];
  readonly case?: CaseKind;
  readonly columns?: readonly string[];
  readonly bom?: true;
  /** Events a second; left out: as fast as it can. */
  readonly throttle?: number;
  /** Where the warehouse is; left out: in the user's cache directory. */
  readonly copy?: string;
}

/** How far an export is, and whether one that was there is made anew, on standard error. */
const tellingOf = (terminal: Terminal) => {
  const say = sayNowAndThen(terminal);
  const startedAt = performance.now();
  return {
    onRead: (events: number, of: number | undefined): void =>
      say(() => {
        const rate = Math.round(events / ((performance.now() - startedAt) / 1_000));
        return `${events}${of === undefined ? '' : ` of ${of}`} events read, ${rate} a second`;
      }),
    onRestart: (): void =>
      print(terminal.stderr, 'hiring: the export has masks of another scheme: made anew'),
  };
};

/** What a salvaged log lacks, in words. */
const lackOf = (eventStore: EventStoreSettings): string => {
  const noted = eventStore.kind === 'sqlite' ? notedAsLost(eventStore.path) : [];
  return noted.length === 0 ? '' : `, without ${noted.map((each) => lostInWords(each).where).join(', ')}`;
};

/** What is exported, from the stores or a service. */
interface Exporting {
  readonly terminal: Terminal;
  readonly options: ExportCommandOptions;
  readonly form: ExportForm;
  readonly code: string;
  readonly signal: AbortSignal;
}

/**
 * Exports in a form that is written from a warehouse: brings that up to date, and has DuckDB write.
 *
 * @param from names what the warehouse is of
 */
const exportWarehouse = async (
  { terminal, options, form, code, signal }: Exporting,
  from: string,
  { copy }: Pick<ExportCommandOptions, 'copy'>,
  { source, shownAs, to }: { readonly source: ShownLog; readonly shownAs: ShownAs; readonly to: EventsMeant },
  prepareBy: Prepare,
): Promise<ExportManifest> => {
  const { personalData, out } = options;
  const directory = copyDirectoryOf(terminal, from, { copy, personalData });
  deleteUnkeptCopy(copyDirectoryOf(terminal, from, { copy, personalData: true }));
  const { prepare, giveBack } = preparing({ terminal, directory, prepareBy, ending: signal }, signal);
  try {
    return await withWarehouse(
      // With more threads, rows of Parquet may be stored together in other ways.
      { directory, threads: 1, memory: 'copy', writesIn: resolve(out) },
      prepare,
      (database) => {
        giveBack();
        const writing = warehouseWriting({ database, isMasked: shownAs.isMasked, signal }, form);
        const { onRestart } = tellingOf(terminal);
        return exportHistory(
          source,
          writing,
          resolve(out),
          { form, shownAs, code, to },
          { signal, onRestart },
        );
      },
    );
  } finally {
    giveBack();
    if (personalData) deleteUnkeptCopy(directory);
  }
};

/** Exports the event log of the stores. Where personal data is asked for, that is recorded first. */
const exportStores = async (
  exporting: Omit<Exporting, 'code'>,
  reason: string | undefined,
): Promise<ExportManifest> => {
  const { terminal, options, form, signal } = exporting;
  const { format, type: types, case: caseOf, throttle: perSecond = Infinity } = options;
  const config = historyConfigOf(terminal);
  const { stores, codeSecret } = config;
  const maskSecret = reason === undefined ? codeSecret : undefined;
  const onDropped = sayDropped(terminal);
  const run = ({ eventStore }: StoreSettings, salvagedIn?: string) =>
    using(openLog(eventStore, onDropped), async (log) => {
      const to = await momentsOf(log)({ at: options.to, upTo: options.upTo });
      // An export of all of the log does not go on with one that lacks something, nor the other way round.
      const code = salvagedIn === undefined ? codeVersion() : codeVersion() + lackOf(eventStore);
      if (format === 'ndjson') {
        const { onRead, onRestart } = tellingOf(terminal);
        return exportBeside(
          { eventStore, directory: options.out, form, maskSecret, code, to, perSecond },
          {
            signal,
            onNews: (news) => (news.kind === 'anew' ? onRestart() : onRead(news.events, news.of)),
            onDropped,
          },
        );
      }
      const shownAs = maskBy(maskSecret);
      // The warehouse of the whole event log is neither asked nor changed.
      const where = salvagedIn === undefined ? options : { copy: join(salvagedIn, 'warehouse') };
      return exportWarehouse(
        { ...exporting, code },
        copiedFrom(eventStore),
        where,
        { source: shownLogOf(log, shownAs), shownAs, to },
        (preparation, preparing) =>
          prepareBeside({ ...preparation, eventStore, maskSecret, perSecond }, preparing),
      );
    });
  return recordingPersonalData(
    config,
    reason,
    (because) => ({
      command: 'history export',
      of: [format, ...(caseOf ? [caseOf] : []), ...(types ?? [])].join(' '),
      reason: because,
    }),
    () => reading(terminal, stores, options, run),
  );
};

/** A service closes a connection that is not read from for long: one request asks for what a throttle lets through in this time. */
const REQUEST_S = 10;

/**
 * Exports the events of a service: the same bytes as from its stores.
 *
 * @throws CliError where the service refuses, cannot be asked, or ends an answer too early: what is whole stays
 * @throws DomainError for an export that is refused
 */
const exportService = async (
  exporting: Omit<Exporting, 'code'>,
  url: string,
  reason: string | undefined,
): Promise<ExportManifest> => {
  const { terminal, options, form, signal } = exporting;
  const { throttle: perSecond = Infinity } = options;
  const perRequest = Math.max(1, Math.min(A_REQUEST, Math.ceil(perSecond * REQUEST_S)));
  const source = await openServiceCopySource({ terminal, url, reason, signal }, perRequest);
  const to = await source.momentOf({ at: options.to, upTo: options.upTo });
  const { shownAs } = source;
  if (options.format !== 'ndjson')
    return exportWarehouse(
      { ...exporting, code: codeVersion() },
      url,
      options,
      { source, shownAs, to },
      (preparation, preparing) =>
        prepareWarehouse(throttled(source, perSecond), shownAs, preparation, preparing),
    );
  const { onRead, onRestart } = tellingOf(terminal);
  const throttle = createLeakyBucket(() => perSecond, signal);
  const writing = ndjsonWriting(source, { types: form.types, upTo: to.position, signal, throttle, onRead });
  const asked = { form, shownAs, code: codeVersion(), to };
  return exportHistory(source, writing, options.out, asked, { signal, onRestart });
};

/** @throws CliError while another process exports there */
const take = (directory: string): (() => void) => {
  try {
    return takeDataDirectory(directory, []);
  } catch (error) {
    if (!(error instanceof DirectoryInUse)) throw error;
    throw new CliError(error.message.replace('The data directory', '--out names'));
  }
};

const summaryOf = (manifest: ExportManifest): string => {
  const sum = (of: 'events' | 'unreadable') => manifest.parts.reduce((so, part) => so + part[of], 0);
  const unreadable = sum('unreadable');
  const complaint = unreadable > 0 ? `, of which this code cannot read ${unreadable}` : '';
  return `${sum('events')} events${complaint}`;
};

/** `hiring history export`: the events of the event log as files of a directory, which a later run goes on with. */
export const exportTo = async (terminal: Terminal, options: ExportCommandOptions): Promise<void> => {
  const { from, out: directory, format, type: types, case: caseOf, columns, bom } = options;
  try {
    if (caseOf !== undefined && format !== 'csv')
      throw new CliError(`--case is for --format csv, not ${format}`);
    if (bom && format !== 'csv') throw new CliError(`--bom is for --format csv, not ${format}`);
    if (columns && format !== 'csv' && format !== 'parquet')
      throw new CliError(`--columns is for --format csv and parquet, not ${format}`);
    const reason = reasonFor(options);
    const service = from?.service;
    // Refused before the directory is made.
    if (service === undefined) historyConfigOf(terminal);
    if (format !== 'ndjson') refuseWithoutDuckDB();
    const release = take(directory);
    try {
      const signal = endingOf(terminal, '; what is whole stays, and the same again goes on');
      const form = { format, types, caseOf, columns, bom };
      const exporting = { terminal, options, form, signal };
      const manifest = await (service === undefined
        ? exportStores(exporting, reason)
        : exportService(exporting, service, reason));
      const shown = reason === undefined ? 'personal data masked' : 'with personal data';
      print(
        terminal.stderr,
        `hiring: ${summaryOf(manifest)} in ${directory}, at ${momentText({ ...manifest, at: manifest.at ?? null, recordedAt: null })}, by version ${codeVersion()}, ${shown}`,
      );
    } finally {
      release();
    }
  } catch (error) {
    throw asCliError(error);
  }
};

/** Adds `hiring history export` with its options, as its help shows them. */
export const addExport = (history: Command, terminal: Terminal): void => {
  const command = history
    .command('export')
    .description('write all events as files for other tools; the same again goes on where it ended')
    .addOption(
      new Option('--format <format>', 'what is written').choices(exportFormats).makeOptionMandatory(),
    )
    .requiredOption('--out <directory>', 'a new directory, or one that an export with the same options made')
    .option('--from <url>', FROM_SERVICE, fromService)
    .option('--to <moment>', `up to ${MOMENT}; by default now`, moment)
    .option('--up-to <position>', UP_TO, logPosition)
    .option('--type <type>', 'a type of events; may be given several times; by default all', eventType)
    .addOption(
      new Option(
        '--case <kind>',
        'of csv: one file for process mining, with the ids of these as cases',
      ).choices(caseKinds),
    )
    .option('--columns <names>', 'of csv and parquet: only these, in this order, with commas between', names)
    .option('--bom', 'of csv: with a byte order mark, for spreadsheets')
    .option('--copy <directory>', "where the warehouse is; by default in the user's cache directory")
    .option('--throttle <events>', 'read at most so many events a second', integer(1, 10_000_000));
  withPersonalOptions(command).action((options: ExportCommandOptions) => exportTo(terminal, options));
};
