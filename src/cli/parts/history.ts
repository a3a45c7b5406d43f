import type { Static, TObject } from '../../schema/typebox.ts';
import { openHistory, type OpenHistory } from '../../history/beside/open-history.ts';
import { maskBy } from '../../history/moment/mask.ts';
import type {
  HistoryOperation,
  HistoryOperationBase,
  HistoryQuestion,
  OpenedHistory,
} from '../../history/operations/operation.ts';
import { personalDataActOf } from '../../history/operations/personal-data-act.ts';
import { refuseDamagedIndex, type StoreSettings } from '../../stores.ts';
import { asCliError } from './audit.ts';
import { reasonOf } from './cli-error.ts';
import { sayDropped } from './dropped.ts';
import { historyConfigOf } from './event-file.ts';
import { reasonFor, recordingPersonalData, type PersonalOptions } from './personal-data.ts';
import { reading } from './salvage.ts';
import { askService } from './history-service.ts';
import type { Terminal } from './terminal.ts';
import { using } from '../../lib/using.ts';
import { print } from './print.ts';

export interface HistoryOptions extends PersonalOptions {
  /** The URL of a service that is asked; left out: the stores are read, beside the service that may be running. */
  readonly service?: string | undefined;
}

const openHistoryHere = (terminal: Terminal, stores: StoreSettings): Promise<OpenHistory> =>
  openHistory(stores, {
    onDropped: sayDropped(terminal),
    onNoIndex: (error) =>
      print(
        terminal.stderr,
        `hiring: the read models cannot be read, so the whole event log is: ${reasonOf(error)}`,
      ),
  });

/**
 * Looks into the stores, beside the service that may be running. Where personal data is asked for, that is recorded first.
 *
 * @throws CliError for what is refused
 */
export const withHistory = async <P extends TObject, Q extends TObject, T>(
  terminal: Terminal,
  operation: HistoryOperationBase<P, Q>,
  question: HistoryQuestion<P, Q>,
  options: PersonalOptions,
  look: (opened: OpenedHistory) => Promise<T>,
): Promise<T> => {
  try {
    const config = historyConfigOf(terminal);
    const { stores, codeSecret } = config;
    const reason = reasonFor(options);
    const mask = maskBy(reason === undefined ? codeSecret : undefined);
    const run = (): Promise<T> =>
      reading(terminal, stores, options, (read) =>
        using(openHistoryHere(terminal, read), async (source) => {
          const answer = await look({ source, mask });
          await refuseDamagedIndex(read.eventStore);
          return answer;
        }),
      );
    return await recordingPersonalData(
      config,
      reason,
      (because) => personalDataActOf(operation, question, because),
      run,
    );
  } catch (error) {
    throw asCliError(error, 1);
  }
};

/** Asks the stores or a service a question about the history. @throws CliError for what is refused */
export const askHistory = <P extends TObject, Q extends TObject, A extends TObject>(
  terminal: Terminal,
  operation: HistoryOperation<P, Q, A>,
  question: HistoryQuestion<P, Q>,
  { service, ...personal }: HistoryOptions,
): Promise<Static<A>> =>
  service === undefined
    ? withHistory(terminal, operation, question, personal, (opened) => operation.ask(question, opened))
    : askService({ terminal, url: service, reason: reasonFor(personal) }, operation, question);
