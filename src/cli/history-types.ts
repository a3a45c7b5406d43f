import type { Static } from '../schema/typebox.ts';
import { ConfigError } from '../config/config.ts';
import { DomainError } from '../errors/domain-error.ts';
import { isReadable } from '../domain/readability.ts';
import { momentText } from '../history/moment/moment.ts';
import { getEventTypes, type EventTypeShown } from '../history/operations/event-types.ts';
import type { HistoryQuestion } from '../history/operations/operation.ts';
import { CliError, reasonOf } from './parts/cli-error.ts';
import { askHistory, type HistoryOptions } from './parts/history.ts';
import { tableLines, type Screen } from './parts/table.ts';
import type { Terminal } from './parts/terminal.ts';
import { print, printJson } from './parts/print.ts';

export interface TypesOptions extends HistoryOptions {
  readonly json?: true;
}

type TypesQuestion = HistoryQuestion<typeof getEventTypes.params, typeof getEventTypes.parameters>;
type TypesAnswer = Static<typeof getEventTypes.answer>;

/** @throws CliError when the event log cannot be read, or the service cannot be asked */
const answerFor = async (
  terminal: Terminal,
  question: TypesQuestion,
  options: TypesOptions,
): Promise<TypesAnswer> => {
  try {
    return await askHistory(terminal, getEventTypes, question, options);
  } catch (error) {
    const isRefusal =
      error instanceof CliError || error instanceof ConfigError || error instanceof DomainError;
    if (isRefusal || options.from) throw error;
    throw new CliError(`EVENT_STORE_URL names a log that cannot be read: ${reasonOf(error)}`);
  }
};

const inWords = ({ reading, version, codeVersion }: EventTypeShown): string => {
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
    case 'foreign':
      return 'foreign: this service cannot have written them';
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

/** A table of types of events, each with its first and its last event. */
export const typesTable = (lines: readonly EventTypeShown[], screen: Screen): readonly string[] => {
  const rows = lines.map((line) => {
    const { type, version, events, first, last } = line;
    const places = [first, last].flatMap(({ position, recordedAt }) => [position, recordedAt ?? '-']);
    return [type, String(version), String(events), ...places, inWords(line)];
  });
  const rightAligned = ['version', 'events'].map((heading) => HEADINGS.indexOf(heading));
  return tableLines({ headings: HEADINGS, rows, rightAligned }, screen);
};

/** What this code cannot read of an event log, in words; undefined when it can read all of it. */
const complaintOf = (lines: readonly EventTypeShown[]): string | undefined => {
  const unreadable = lines.filter((line) => !isReadable(line));
  if (unreadable.length === 0) return undefined;
  const events = unreadable.reduce((sum, line) => sum + line.events, 0);
  return `This code cannot read ${events} of the log's events`;
};

/** `hiring history types`: the event log's types and versions. Resolves to whether this code can read all of it. */
export const listTypes = async (
  terminal: Terminal,
  question: TypesQuestion,
  options: TypesOptions,
): Promise<boolean> => {
  const { stdout, stderr } = terminal;
  const { types, code, ...moment } = await answerFor(terminal, question, options);
  if (options.json) printJson(stdout, types, 2);
  else print(stdout, typesTable(types, stdout));
  print(stderr, `hiring: at ${momentText(moment)}, by version ${code}`);
  const complaint = complaintOf(types);
  if (complaint !== undefined) print(stderr, `hiring: ${complaint}`);
  return complaint === undefined;
};
