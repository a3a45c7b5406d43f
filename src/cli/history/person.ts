import type { Command } from 'commander';
import { toHistoryEvent, type HistoryEvent } from '../../history/moment/history-event.ts';
import { readPersonEvents } from '../../history/moment/person-events.ts';
import { noMask } from '../../history/moment/mask.ts';
import { leavesOf } from '../../history/moment/member-paths.ts';
import { createMomentFinder, momentText } from '../../history/moment/moment.ts';
import { formatEventLines } from '../../history/operations/entity-story.ts';
import { parsePersonalDataReason } from '../../history/operations/personal-data-act.ts';
import { memberName } from '../../history/operations/shapes.ts';
import { readPackageVersion } from '../../lib/package-version.ts';
import { using } from '../../lib/using.ts';
import { openConcurrentEventLog } from '../../stores.ts';
import { createDroppedSubscriptionReporter } from '../parts/dropped-subscription.ts';
import { withHistoryStores } from './with-history.ts';
import { tableCell } from './answer-output.ts';
import { print, printedLine, printPieces } from '../parts/print.ts';
import type { AroundDamageOption } from '../parts/salvage.ts';
import { abortOnSignal, type Terminal } from '../parts/terminal.ts';
import { parsePersonId } from '../parts/option-parsers.ts';

interface PersonOptions extends AroundDamageOption {
  readonly reason: string;
  readonly json?: true;
}

const linesOf = (event: HistoryEvent): readonly string[] =>
  formatEventLines(
    event,
    leavesOf(event.data ?? {}).map(([path, value]) => `    ${memberName(path)}: ${tableCell(value, {})}`),
  );

/** `hiring history person`: all events that name a person, as they are; who asks and why is recorded first. */
const showPerson = async (
  terminal: Terminal,
  id: string,
  { reason: text, json, ...how }: PersonOptions,
): Promise<void> => {
  const recorded = (because: string) => ({ command: 'history person', id, reason: because });
  const reason = parsePersonalDataReason(text, '--reason');
  const signal = abortOnSignal(terminal);
  const { stdout, stderr } = terminal;
  await withHistoryStores(terminal, { ...how, personalData: true, reason }, recorded, ({ eventStore }) =>
    using(openConcurrentEventLog(eventStore, createDroppedSubscriptionReporter(terminal)), async (log) => {
      const end = await createMomentFinder(log)({});
      const { professionals, users, groups } = await readPersonEvents(log, id, end, signal);
      const pieces = function* () {
        for (const { stream, events } of groups) {
          if (!json) yield printedLine(stream);
          for (const recordedEvent of events) {
            const event = toHistoryEvent(recordedEvent, noMask);
            // What this code cannot read is held, too.
            const whole = { ...event, data: event.data ?? recordedEvent.data };
            yield json ? `${JSON.stringify(whole)}\n` : linesOf(whole).map(printedLine).join('');
          }
          if (!json) yield '\n';
        }
      };
      await printPieces(stdout, pieces());
      const who = [...professionals.map((each) => `professional ${each}`), ...users.map((each) => `user ${each}`)];
      print(
        stderr,
        `hiring: ${who.join(', ')}, at ${momentText(end)}, by version ${readPackageVersion()}, with personal data`,
      );
    }),
  );
};

/** Adds `hiring history person`. */
export const addPersonCommand = (history: Command, terminal: Terminal): void => {
  history
    .command('person')
    .description('print all that is held of a person, every event that names them, without masks')
    .argument('<id>', 'of a professional or a user; professional:<id> or user:<id> where both have it', parsePersonId)
    .requiredOption('--reason <text>', 'why personal data is needed; it is recorded first')
    .option('--json', 'as lines of JSON')
    .action((id: string, options: PersonOptions) => showPerson(terminal, id, options));
};
