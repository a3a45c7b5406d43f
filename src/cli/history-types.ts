import { existsSync } from 'node:fs';
import { eventDefinitions } from '../domain/index.ts';
import { isReadable, readabilityBy, type Readability } from '../domain/readability.ts';
import { readEmbeddedTypes } from '../event-store/embedded/types.ts';
import { ForeignEvent } from '../event-store/foreign-event.ts';
import { openLog, type EventStoreSettings } from '../stores.ts';
import { countTypes, type TypeCount } from '../event-store/type-counts.ts';
import { sayDropped } from './parts/dropped.ts';
import { CliError, oneLine, reasonOf } from './parts/cli-error.ts';
import { tableText, type Screen } from './parts/table.ts';
import { configOf, type Terminal } from './parts/terminal.ts';

export type TypeLine = TypeCount & Readability;

/** Reads the whole event log. @throws ForeignEvent */
const countOnServer = async (terminal: Terminal, settings: EventStoreSettings): Promise<TypeCount[]> => {
  const log = await openLog(settings, sayDropped(terminal));
  try {
    return await countTypes(log, await log.head());
  } finally {
    await log.close();
  }
};

const countsOf = async (terminal: Terminal, settings: EventStoreSettings): Promise<TypeCount[]> => {
  if (settings.kind !== 'sqlite') return countOnServer(terminal, settings);
  return existsSync(settings.path) ? readEmbeddedTypes(settings.path) : [];
};

/**
 * @throws ForeignEvent when another program has written to the event log
 * @throws CliError when the event log cannot be read at all
 */
const linesOf = async (terminal: Terminal, settings: EventStoreSettings): Promise<TypeLine[]> => {
  try {
    const readabilityOf = readabilityBy(eventDefinitions);
    return (await countsOf(terminal, settings)).map((count) => ({
      ...count,
      ...readabilityOf(count.type, count.version),
    }));
  } catch (error) {
    if (error instanceof ForeignEvent) throw error;
    const reason = reasonOf(error);
    throw new CliError(`EVENT_STORE_URL names a log that cannot be read: ${reason}`);
  }
};

const inWords = ({ reading, version, codeVersion }: TypeLine): string => {
  switch (reading) {
    case 'readable':
      return 'readable';
    case 'upcast':
      return `upcast from v${version}`;
    case 'newer':
      return `newer than this code, which reads up to v${String(codeVersion)}`;
    case 'no-upcaster':
      return `no way from v${version} to v${String(codeVersion)}: an upcaster is missing`;
    case 'unknown-type':
      return 'unknown type';
  }
};

const HEADINGS = [
  'type',
  'version',
  'events',
  'first position',
  'recorded at',
  'last position',
  'recorded at',
  '',
];

/** The table of the types. */
export const typesTable = (lines: readonly TypeLine[], screen: Screen): string => {
  const rows = lines.map((line) => {
    const { type, version, events, first, last } = line;
    const places = [first, last].flatMap(({ position, recordedAt }) => [position, recordedAt ?? '-']);
    return [type, String(version), String(events), ...places, inWords(line)];
  });
  const rightAligned = ['version', 'events'].map((heading) => HEADINGS.indexOf(heading));
  return tableText({ headings: HEADINGS, rows, rightAligned }, screen);
};

/** What this code cannot read of an event log, in words; undefined when it can read all of it. */
const complaintOf = (lines: readonly TypeLine[]): string | undefined => {
  const unreadable = lines.filter((line) => !isReadable(line));
  if (unreadable.length === 0) return undefined;
  const events = unreadable.reduce((sum, line) => sum + line.events, 0);
  return `This code cannot read ${events} of the log's events`;
};

/** `hiring history types`: the event log's types and versions. Resolves to whether this code can read all of it. */
export const listTypes = async (terminal: Terminal, { json }: { readonly json?: true }): Promise<boolean> => {
  const complain = (complaint: string): false => {
    terminal.stderr.write(`hiring: ${complaint}\n`);
    return false;
  };
  const { eventStore } = configOf(terminal).stores;
  try {
    const lines = await linesOf(terminal, eventStore);
    terminal.stdout.write(json ? `${JSON.stringify(lines, null, 2)}\n` : typesTable(lines, terminal.stdout));
    const complaint = complaintOf(lines);
    return complaint === undefined || complain(complaint);
  } catch (error) {
    if (!(error instanceof ForeignEvent)) throw error;
    return complain(oneLine(error.message));
  }
};
