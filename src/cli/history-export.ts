import type { Command } from 'commander';
import { Option } from 'commander';
import { caseKinds, type CaseKind } from '../history/export/cases.ts';
import { notedAsLost } from '../event-store/embedded/lost.ts';
import { lostInWords } from '../event-store/log-part.ts';
import { exportBeside } from '../history/export/export-beside.ts';
import { exportFormats, type ExportFormat } from '../history/export/formats.ts';
import type { ExportManifest } from '../history/export/manifest.ts';
import { MOMENT, momentsOf, momentText, UP_TO } from '../history/moment/moment.ts';
import { openLog, type EventStoreSettings, type StoreSettings } from '../stores.ts';
import { asCliError } from './parts/audit.ts';
import { CliError } from './parts/cli-error.ts';
import { codeVersion } from '../lib/code-version.ts';
import { DirectoryInUse, takeDataDirectory } from './parts/data-directory.ts';
import { sayDropped } from './parts/dropped.ts';
import { historyConfigOf } from './parts/event-file.ts';
import { exportService } from './parts/export-service.ts';
import { FROM_SERVICE, fromService, type From } from './parts/from.ts';
import {
  reasonFor,
  recordingPersonalData,
  withPersonalOptions,
  type PersonalOptions,
} from './parts/personal-data.ts';
import { reading } from './parts/salvage.ts';
import { sayNowAndThen } from './parts/say-now-and-then.ts';
import { endingOf, type Terminal } from './parts/terminal.ts';
import { eventType, integer, logPosition, moment } from './parts/values.ts';
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
  /** Events a second; left out: as fast as it can. */
  readonly throttle?: number;
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

/** Exports the event log of the stores. Where personal data is asked for, that is recorded first. */
const exportStores = async (
  terminal: Terminal,
  options: ExportCommandOptions,
  reason: string | undefined,
  signal: AbortSignal,
): Promise<ExportManifest> => {
  const { format, out, type: types, case: caseOf, throttle = Infinity } = options;
  const config = historyConfigOf(terminal);
  const { stores, codeSecret } = config;
  const onDropped = sayDropped(terminal);
  const { onRead, onRestart } = tellingOf(terminal);
  const run = async ({ eventStore }: StoreSettings, salvagedIn?: string) => {
    const log = await openLog(eventStore, onDropped);
    const to = await momentsOf(log)({ at: options.to, upTo: options.upTo }).finally(() => log.close());
    return exportBeside(
      {
        eventStore,
        directory: out,
        form: { format, types, caseOf },
        maskSecret: reason === undefined ? codeSecret : undefined,
        // An export of all of the log does not go on with one that lacks something, nor the other way round.
        code: salvagedIn === undefined ? codeVersion() : codeVersion() + lackOf(eventStore),
        to,
        perSecond: throttle,
      },
      {
        signal,
        onNews: (news) => (news.kind === 'anew' ? onRestart() : onRead(news.events, news.of)),
        onDropped,
      },
    );
  };
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
  const { from, out: directory, format, type: types, case: caseOf, throttle = Infinity } = options;
  try {
    if (caseOf !== undefined && format !== 'csv')
      throw new CliError(`--case is for --format csv, not ${format}`);
    const reason = reasonFor(options);
    const service = from?.service;
    // Refused before the directory is made.
    if (service === undefined) historyConfigOf(terminal);
    const release = take(directory);
    try {
      const signal = endingOf(terminal, '; what is whole stays, and the same again goes on');
      const form = { format, types, caseOf };
      const manifest = await (service === undefined
        ? exportStores(terminal, options, reason, signal)
        : exportService(
            { terminal, url: service, reason, signal },
            {
              directory,
              form,
              at: options.to,
              upTo: options.upTo,
              perSecond: throttle,
              ...tellingOf(terminal),
            },
          ));
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
    .option('--throttle <events>', 'read at most so many events a second', integer(1, 10_000_000));
  withPersonalOptions(command).action((options: ExportCommandOptions) => exportTo(terminal, options));
};
