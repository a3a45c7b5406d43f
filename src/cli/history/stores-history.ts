import { isCausedByDamage, LogUnavailableError } from '../../event-store/port.ts';
import { openIndexedEventLog, type OpenedIndexedLog } from '../../history/operations/open-indexed-event-log.ts';
import { dispatchNdjsonExport } from '../../history/export/dispatch-ndjson-export.ts';
import { maskBy } from '../../history/moment/mask.ts';
import { createMomentFinder } from '../../history/moment/moment.ts';
import { findEvents } from '../../history/operations/events.ts';
import type { HistoryContext } from '../../history/operations/operation.ts';
import { warehouseSourceOf } from '../../history/warehouse/warehouse-source.ts';
import { prepareFromStores } from '../../history/warehouse/prepare-from-stores.ts';
import { readPackageVersion } from '../../lib/package-version.ts';
import { refuseDamagedStreamIndex, type StoreSettings } from '../../stores.ts';
import { CliError, oneLineReason } from '../parts/cli-error.ts';
import { createDroppedSubscriptionReporter } from '../parts/dropped-subscription.ts';
import type { HistoryPort } from './port.ts';
import { print } from '../parts/print.ts';
import { nameOfLog } from './warehouse-directory.ts';
import type { Terminal } from '../parts/terminal.ts';

interface StoresHistoryOptions {
  /** Of the masks; undefined: personal data is shown. */
  readonly maskSecret: string | undefined;
  /** Events that are read at most; Infinity is no limit. */
  readonly perSecond: number;
  /** The directory of the stores, where they are a copy of what can be read of a damaged event log. */
  readonly salvagedIn: string | undefined;
}

const cannotBeRead = (error: unknown): CliError =>
  new CliError(`EVENT_STORE_URL names a log that cannot be read: ${oneLineReason(error)}`);

/** The history in the stores, beside the service that may be running; opened where it is first asked. */
export const createStoresHistory = (
  terminal: Terminal,
  stores: StoreSettings,
  { maskSecret, perSecond, salvagedIn }: StoresHistoryOptions,
): HistoryPort & { close(): Promise<void> } => {
  const { eventStore } = stores;
  const mask = maskBy(maskSecret);
  const onDropped = createDroppedSubscriptionReporter(terminal);
  let opening: Promise<OpenedIndexedLog> | undefined;
  const open = (): Promise<OpenedIndexedLog> =>
    (opening ??= openIndexedEventLog(stores, {
      onDropped,
      onNoIndex: (error) =>
        print(
          terminal.stderr,
          `hiring: the read models cannot be read, so the whole event log is: ${oneLineReason(error)}`,
        ),
    }).catch((error: unknown) => {
      throw isCausedByDamage(error) ? error : cannotBeRead(error);
    }));
  const opened = async (): Promise<HistoryContext> => ({ source: await open(), mask });
  async function* soundly<T>(lines: AsyncIterable<T>): AsyncGenerator<T, void, undefined> {
    yield* lines;
    await refuseDamagedStreamIndex(eventStore);
  }
  return {
    name: nameOfLog(eventStore),
    salvagedIn,
    async ask(operation, question) {
      const answer = await operation.ask(question, await opened()).catch((error: unknown) => {
        throw error instanceof LogUnavailableError && !isCausedByDamage(error) ? cannotBeRead(error) : error;
      });
      await refuseDamagedStreamIndex(eventStore);
      return answer;
    },
    async find(parameters, signal) {
      const { upTo, lines } = await findEvents.open({ params: {}, parameters }, await opened(), signal);
      return { upTo, code: readPackageVersion(), lines: soundly(lines) };
    },
    momentOf: async (...asked) => createMomentFinder((await open()).log)(...asked),
    log: async () => warehouseSourceOf((await open()).log, mask),
    prepare: (preparation, preparing) =>
      prepareFromStores({ ...preparation, eventStore, maskSecret, perSecond }, { ...preparing, onDropped }),
    exportEvents: (order, exporting) =>
      dispatchNdjsonExport({ ...order, eventStore, maskSecret, perSecond }, { ...exporting, onDropped }),
    close: async () => (await opening?.catch(() => undefined))?.close(),
  };
};
