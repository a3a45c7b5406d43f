import type { Static, TObject } from '../../schema/typebox.ts';
import type { ActParameters } from '../../streams/audit.ts';
import type { HistoryOperation, HistoryQuestion } from '../../history/operations/operation.ts';
import { personalDataActOf } from '../../history/operations/personal-data-act.ts';
import { using } from '../../lib/using.ts';
import type { StoreSettings } from '../../stores.ts';
import { loadExistingLogHistoryConfig } from '../parts/event-file.ts';
import type { FromOption } from '../parts/from-option.ts';
import type { HistoryPort } from './port.ts';
import { createCheckedCliAudit } from '../parts/known-log.ts';
import { personalDataReasonOf, type PersonalDataOptions } from '../parts/personal-data.ts';
import { withStoresOrSalvagedCopy } from '../parts/salvage.ts';
import { createServiceHistory } from './service-history.ts';
import { createStoresHistory } from './stores-history.ts';
import type { Terminal } from '../parts/terminal.ts';

export interface HistoryCommandOptions extends PersonalDataOptions {
  /** A service; left out: the stores are read, beside the service that may be running. */
  readonly from?: FromOption | undefined;
  /** Events a second that are read at most; left out: as many as can be. */
  readonly throttle?: number;
}

/**
 * Reads the stores. Where personal data is asked for, that is recorded first.
 *
 * @param recorded gives the parameters of the act
 * @param read also gets the secret of the masks, and the directory of a salvaged copy, where that is read
 * @throws CliError, DomainError for what is refused
 */
export const withHistoryStores = <T>(
  terminal: Terminal,
  options: PersonalDataOptions,
  recorded: (reason: string) => ActParameters,
  read: (stores: StoreSettings, maskSecret: string | undefined, salvagedIn?: string) => Promise<T>,
): Promise<T> => {
  const config = loadExistingLogHistoryConfig(terminal);
  const reason = personalDataReasonOf(options);
  const maskSecret = reason === undefined ? config.codeSecret : undefined;
  const run = () =>
    withStoresOrSalvagedCopy(terminal, config.stores, options, (stores, directory) =>
      read(stores, maskSecret, directory),
    );
  if (reason === undefined) return run();
  return createCheckedCliAudit(config)({ operation: 'personal-data', parameters: recorded(reason) }, run);
};

/** Uses the history of a service, or of the stores. @throws as `withHistoryStores` */
export const withHistory = async <T>(
  terminal: Terminal,
  options: HistoryCommandOptions,
  recorded: (reason: string) => ActParameters,
  use: (history: HistoryPort) => Promise<T>,
): Promise<T> => {
  const { from, throttle: perSecond = Infinity } = options;
  const url = from?.service;
  return url === undefined
    ? withHistoryStores(terminal, options, recorded, (stores, maskSecret, salvagedIn) =>
        using(createStoresHistory(terminal, stores, { maskSecret, perSecond, salvagedIn }), use),
      )
    : use(createServiceHistory({ terminal, url, reason: personalDataReasonOf(options) }, perSecond));
};

/** Asks a question about the history. @throws CliError for what is refused */
export const askHistoryQuestion = <P extends TObject, Q extends TObject, A extends TObject>(
  terminal: Terminal,
  operation: HistoryOperation<P, Q, A>,
  question: HistoryQuestion<P, Q>,
  options: HistoryCommandOptions,
): Promise<Static<A>> =>
  withHistory(
    terminal,
    options,
    (reason) => personalDataActOf(operation, question, reason),
    (history) => history.ask(operation, question),
  );
