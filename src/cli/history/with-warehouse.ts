import { join } from 'node:path';
import type { ActParameters } from '../../streams/audit.ts';
import type { Position } from '../../event-store/port.ts';
import type { PreparationRequest, PreparationProgress } from '../../history/warehouse/prepare.ts';
import { withHistory, type HistoryCommandOptions } from './with-history.ts';
import type { HistoryPort } from './port.ts';
import { print } from '../parts/print.ts';
import { progressPrinter } from './progress-printer.ts';
import { warehouseDirectoryOf, deleteUnkeptWarehouse, lockWarehouse } from './warehouse-directory.ts';
import { abortOnSignal, type Terminal } from '../parts/terminal.ts';

/** Commands that answer from the warehouse, which they first bring up to date from the stores or a service. */

export interface WarehouseCommandOptions extends HistoryCommandOptions {
  /** Of days and of times that are shown; left out: UTC. */
  readonly timeZone?: string;
  readonly copy?: string;
  readonly keep?: true;
}

/** How long a process waits for another one that uses the same warehouse. */
const WAIT_MS = 30_000;

const newsText = (news: Exclude<PreparationProgress, { kind: 'anew' }>): string => {
  switch (news.kind) {
    case 'copied':
      return `${news.events} events copied${news.left === undefined ? '' : `, about ${news.left} to go`}`;
    case 'applied':
      return `${news.readModel}: ${news.events} of ${news.of ?? 'so many'} events applied`;
  }
};

export interface WarehouseCommandContext {
  readonly terminal: Terminal;
  readonly directory: string;
  readonly history: Pick<HistoryPort, 'prepare'>;
  /** Aborted by a signal that asks the command to end. */
  readonly ending: AbortSignal;
}

/** Takes the warehouse and brings it up to date, telling how far that is. @returns with what gives it back, too */
export const createWarehousePreparer = (
  { terminal, directory, history, ending }: WarehouseCommandContext,
  signal: AbortSignal,
) => {
  const say = progressPrinter(terminal);
  const onProgress = (news: PreparationProgress) => {
    if (news.kind === 'anew')
      print(
        terminal.stderr,
        'hiring: the warehouse is of another event log or code, has other masks or is damaged: made anew',
      );
    else say(() => newsText(news));
  };
  let release: (() => void) | undefined;
  return {
    prepare: async (preparation: PreparationRequest): Promise<Position> => {
      release = await lockWarehouse(directory, WAIT_MS, terminal, ending);
      return history.prepare(preparation, { signal, onProgress });
    },
    giveBack: (): void => {
      release?.();
      release = undefined;
    },
  };
};

/**
 * Runs something on the warehouse of a history. One with personal data is deleted afterwards without `--keep`; one of a
 * salvaged event log is neither that of the whole one nor kept.
 */
export const withWarehouseOfHistory = async <T>(
  terminal: Terminal,
  history: HistoryPort,
  { copy, personalData }: Pick<WarehouseCommandOptions, 'copy' | 'personalData'>,
  ending: AbortSignal,
  run: (opened: WarehouseCommandContext) => Promise<T>,
): Promise<T> => {
  const { name, salvagedIn } = history;
  const where = { copy: salvagedIn === undefined ? copy : join(salvagedIn, 'warehouse') };
  const directory = warehouseDirectoryOf(terminal, name, { ...where, personalData });
  deleteUnkeptWarehouse(warehouseDirectoryOf(terminal, name, { ...where, personalData: true }));
  try {
    return await run({ terminal, directory, history, ending });
  } finally {
    if (personalData) deleteUnkeptWarehouse(directory);
  }
};

/** Runs something on the warehouse of the stores or of a service. @throws as `withHistory`, whose options these are */
export const withWarehouse = (
  terminal: Terminal,
  options: WarehouseCommandOptions,
  recorded: (because: string) => ActParameters,
  run: (opened: WarehouseCommandContext) => Promise<void>,
): Promise<void> => {
  const ending = abortOnSignal(terminal);
  return withHistory(terminal, options, recorded, (history) =>
    withWarehouseOfHistory(terminal, history, options, ending, run),
  );
};
