import { eventDefinitions } from '../../domain/index.ts';
import type { HistoryEvent } from '../../history/moment/history-event.ts';
import { momentText } from '../../history/moment/moment.ts';
import { toEventFilter, findEvents, type EventSearchParameters } from '../../history/operations/events.ts';
import { personalDataActOf } from '../../history/operations/personal-data-act.ts';
import { CliError } from '../parts/cli-error.ts';
import { withHistory, type HistoryCommandOptions } from './with-history.ts';
import { tableCell } from './answer-output.ts';
import { personalDataReasonOf } from '../parts/personal-data.ts';
import type { Screen } from '../parts/table.ts';
import type { Terminal } from '../parts/terminal.ts';
import { print, printedLine, printPieces } from '../parts/print.ts';

export interface SearchCommandOptions extends HistoryCommandOptions {
  readonly json?: true;
}

const width = Math.max(...eventDefinitions.map(({ type }) => type.length));

const lineOf = (event: HistoryEvent, screen: Screen): string => {
  const { position, recordedAt, type, stream, actor, data } = event;
  const shown = event.unreadable === undefined ? tableCell(data, screen) : `cannot be read: ${event.unreadable}`;
  return `${position}  ${recordedAt ?? '-'}  ${type.padEnd(width)}  ${stream}  ${actor ?? '-'}  ${shown}`;
};

/** `hiring history search`: events by what they are, where they stand and what they hold. */
export const searchHistory = async (
  terminal: Terminal,
  parameters: EventSearchParameters,
  options: SearchCommandOptions,
): Promise<void> => {
  const { limit, follow } = parameters;
  const { stdout, stderr } = terminal;
  // Before anything is opened.
  toEventFilter(parameters, personalDataReasonOf(options) !== undefined);
  const stopping = new AbortController();
  const { signal } = stopping;
  if (follow) void terminal.nextSignal().then(() => stopping.abort());
  const recorded = (reason: string) => personalDataActOf(findEvents, { params: {}, parameters }, reason);
  try {
    await withHistory(terminal, options, recorded, async (history) => {
      const { upTo, code, lines: events } = await history.find(parameters, signal);
      print(stderr, `up to ${momentText(upTo)}, by version ${code}`);
      let count = 0;
      const lines = async function* () {
        for await (const event of events) {
          yield options.json ? `${JSON.stringify(event)}\n` : printedLine(lineOf(event, stdout));
          count++;
        }
      };
      await printPieces(stdout, lines());
      if (follow && !signal.aborted) throw new CliError('The service has stopped sending events');
      if (!follow && count === 0) throw new CliError('No event is like that', 1);
      if (!follow && count === limit) print(stderr, `as many as asked for, and maybe not all: --limit ${limit}`);
    });
  } catch (error) {
    // The end of what is followed.
    if (!signal.aborted) throw error;
  }
};
