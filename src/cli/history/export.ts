import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import { Option } from 'commander';
import { readRecordedLosses } from '../../event-store/embedded/lost-ranges.ts';
import { describeLostPart } from '../../event-store/events-or-loss.ts';
import { exportHistory } from '../../history/export/export.ts';
import type { ExportProgress } from '../../history/export/ndjson-export.ts';
import {
  caseKinds,
  exportFormats,
  isRemadeAsWhole,
  type CaseKind,
  type ExportFormat,
} from '../../history/export/formats.ts';
import { createWarehouseWriterFactory } from '../../history/export/warehouse-writer-factory.ts';
import type { ExportManifest } from '../../history/export/manifest.ts';
import { MOMENT_HELP, momentText, UP_TO_HELP } from '../../history/moment/moment.ts';
import { refuseWithoutDuckDB } from '../../history/warehouse/duckdb.ts';
import { withPreparedWarehouse } from '../../history/warehouse/runnable-statement.ts';
import { readPackageVersion } from '../../lib/package-version.ts';
import { CliError } from '../parts/cli-error.ts';
import { DirectoryInUseError, lockDataDirectory } from '../parts/data-directory.ts';
import { loadExistingLogHistoryConfig } from '../parts/event-file.ts';
import { FROM_SERVICE_HELP, parseFromServiceUrl } from '../parts/from-option.ts';
import { withHistory, type HistoryCommandOptions } from './with-history.ts';
import type { HistoryPort } from './port.ts';
import { personalDataReasonOf, addPersonalDataOptions } from '../parts/personal-data.ts';
import { print } from '../parts/print.ts';
import { progressPrinter } from './progress-printer.ts';
import { abortOnSignal, type Terminal } from '../parts/terminal.ts';
import {
  collectEventTypes,
  integerParser,
  parseLogPosition,
  parseMomentText,
  parseNames,
} from '../parts/option-parsers.ts';
import { createWarehousePreparer, withWarehouseOfHistory } from './with-warehouse.ts';

interface ExportCommandOptions extends HistoryCommandOptions {
  readonly format: ExportFormat;
  readonly out: string;
  /** Left out: now. */
  readonly to?: string;
  readonly upTo?: string;
  readonly type?: readonly string[];
  readonly case?: CaseKind;
  readonly columns?: readonly string[];
  readonly bom?: true;
  /** Where the warehouse is; left out: in the user's cache directory. */
  readonly copy?: string;
}

/** How far an export is, and whether one that was there is made anew, on standard error. */
const tellingOf = (terminal: Terminal) => {
  const say = progressPrinter(terminal);
  const startedAt = performance.now();
  const onRestart = (): void => print(terminal.stderr, 'hiring: the export has masks of another scheme: made anew');
  const onProgress = (news: ExportProgress): void => {
    if (news.kind === 'anew') onRestart();
    else
      say(() => {
        const { events, of } = news;
        const rate = Math.round(events / ((performance.now() - startedAt) / 1_000));
        return `${events}${of === undefined ? '' : ` of ${of}`} events read, ${rate} a second`;
      });
  };
  return { onProgress, onRestart };
};

/** The version of the code, with what a salvaged log lacks: an export of the whole log does not continue it. */
const codeOf = ({ salvagedIn }: HistoryPort): string => {
  const lost = salvagedIn === undefined ? [] : readRecordedLosses(join(salvagedIn, 'events.db'));
  const where = lost.map((each) => describeLostPart(each).where).join(', ');
  return readPackageVersion() + (where && `, without ${where}`);
};

/** Exports a history: as NDJSON from its events, in other forms from its warehouse, which DuckDB writes. */
const exportOf = async (
  terminal: Terminal,
  history: HistoryPort,
  options: ExportCommandOptions,
  signal: AbortSignal,
): Promise<ExportManifest> => {
  const { format, type: types, case: caseOf, columns, bom, to: at, upTo } = options;
  const form = { format, types, caseOf, columns, bom };
  const directory = resolve(options.out);
  const code = codeOf(history);
  const { onProgress, onRestart } = tellingOf(terminal);
  const to = await history.momentOf({ at, upTo });
  if (format === 'ndjson') return history.exportEvents({ directory, form, code, to }, { signal, onProgress });
  const source = await history.log();
  return withWarehouseOfHistory(terminal, history, options, signal, (opened) => {
    const { prepare, giveBack } = createWarehousePreparer(opened, signal);
    // With more threads, rows of Parquet may be stored together in other ways.
    const reading = {
      directory: opened.directory,
      threads: 1,
      memory: isRemadeAsWhole(form) ? 'objects' : 'copy',
      writesIn: directory,
    } as const;
    return withPreparedWarehouse(reading, prepare, (database) => {
      giveBack();
      const writing = createWarehouseWriterFactory({ database, isMasked: source.shownAs.isMasked, signal }, form);
      return exportHistory(source, writing, directory, { form, code, to }, { signal, onRestart });
    }).finally(giveBack);
  });
};

/** @throws CliError while another process exports there */
const take = (directory: string): (() => void) => {
  try {
    return lockDataDirectory(directory, []);
  } catch (error) {
    if (!(error instanceof DirectoryInUseError)) throw error;
    throw new CliError(error.message.replace('The data directory', '--out names'));
  }
};

const summaryOf = (manifest: ExportManifest): string => {
  const sum = (of: 'events' | 'unreadable') => manifest.parts.reduce((so, part) => so + part[of], 0);
  const unreadable = sum('unreadable');
  const complaint = unreadable > 0 ? `, of which this code cannot read ${unreadable}` : '';
  return `${sum('events')} events${complaint}`;
};

/** `hiring history export`: the events of the event log as files of a directory, which a later run continues. */
const exportTo = async (terminal: Terminal, options: ExportCommandOptions): Promise<void> => {
  const { from, out: directory, format, type: types = [], case: caseOf, columns, bom, personalData } = options;
  const recorded = (reason: string) => ({
    command: 'history export',
    of: [format, ...(caseOf ? [caseOf] : []), ...types].join(' '),
    reason,
  });
  if (caseOf !== undefined && format !== 'csv') throw new CliError(`--case is for --format csv, not ${format}`);
  if (bom && format !== 'csv') throw new CliError(`--bom is for --format csv, not ${format}`);
  if (columns && format !== 'csv' && format !== 'parquet')
    throw new CliError(`--columns is for --format csv and parquet, not ${format}`);
  // Refused before the directory is made.
  personalDataReasonOf(options);
  if (from?.service === undefined) loadExistingLogHistoryConfig(terminal);
  if (format !== 'ndjson') refuseWithoutDuckDB();
  const release = take(directory);
  try {
    const signal = abortOnSignal(terminal, '; what is whole stays, and the same again goes on');
    const manifest = await withHistory(terminal, options, recorded, (history) =>
      exportOf(terminal, history, options, signal),
    );
    const { at = null, position } = manifest;
    const moment = momentText({ at, position, recordedAt: null });
    const shown = personalData ? 'with personal data' : 'personal data masked';
    print(
      terminal.stderr,
      `hiring: ${summaryOf(manifest)} in ${directory}, at ${moment}, by version ${readPackageVersion()}, ${shown}`,
    );
  } finally {
    release();
  }
};

/** Adds `hiring history export` with its options, as its help shows them. */
export const addExportCommand = (history: Command, terminal: Terminal): void => {
  const command = history
    .command('export')
    .description('write all events as files for other tools; the same again goes on where it ended')
    .addOption(new Option('--format <format>', 'what is written').choices(exportFormats).makeOptionMandatory())
    .requiredOption('--out <directory>', 'a new directory, or one that an export with the same options made')
    .option('--from <url>', FROM_SERVICE_HELP, parseFromServiceUrl)
    .option('--to <moment>', `up to ${MOMENT_HELP}; by default now`, parseMomentText)
    .option('--up-to <position>', UP_TO_HELP, parseLogPosition)
    .option('--type <type>', 'a type of events; may be given several times; by default all', collectEventTypes)
    .addOption(
      new Option('--case <kind>', 'of csv: one file for process mining, with the ids of these as cases').choices(
        caseKinds,
      ),
    )
    .option('--columns <names>', 'of csv and parquet: only these, in this order, with commas between', parseNames)
    .option('--bom', 'of csv: with a byte order mark, for spreadsheets')
    .option('--copy <directory>', "where the warehouse is; by default in the user's cache directory")
    .option('--throttle <events>', 'read at most so many events a second', integerParser(1, 10_000_000));
  addPersonalDataOptions(command).action((options: ExportCommandOptions) => exportTo(terminal, options));
};
