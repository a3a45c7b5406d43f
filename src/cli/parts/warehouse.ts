import { join } from 'node:path';
import type { ActParameters } from '../../domain/audit.ts';
import type { Position } from '../../event-store/port.ts';
import type { Doing } from '../../history/threads/ordered.ts';
import { prepareBeside } from '../../history/warehouse/prepare-beside.ts';
import { prepareWarehouse, type Preparation, type PreparationNews } from '../../history/warehouse/prepare.ts';
import type { StoreSettings } from '../../stores.ts';
import { asCliError } from './audit.ts';
import { sayDropped } from './dropped.ts';
import { historyConfigOf } from './event-file.ts';
import type { From } from './from.ts';
import type { Service } from './history-service.ts';
import { reasonFor, recordingPersonalData, type PersonalOptions } from './personal-data.ts';
import { print } from './print.ts';
import { reading } from './salvage.ts';
import { sayNowAndThen } from './say-now-and-then.ts';
import { openServiceCopySource } from './service-copy-source.ts';
import { copiedFrom, copyDirectoryOf, deleteUnkeptCopy, takeCopy } from './sql-copy.ts';
import { endingOf, type Terminal } from './terminal.ts';

/** Commands that answer from the warehouse, which they first bring up to date from the stores or a service. */

export interface WarehouseOptions extends PersonalOptions {
  /** A service; left out: the stores. */
  readonly from?: From;
  /** Of days and of times that are shown; left out: UTC. */
  readonly timeZone?: string;
  readonly copy?: string;
  readonly keep?: true;
}

/** How long a process waits for another one that uses the same copy. */
const WAIT_MS = 30_000;

const newsText = (news: Exclude<PreparationNews, { kind: 'anew' }>): string => {
  switch (news.kind) {
    case 'copied':
      return `${news.events} events copied${news.left === undefined ? '' : `, about ${news.left} to go`}`;
    case 'applied':
      return `${news.readModel}: ${news.events} of ${news.of ?? 'so many'} events applied`;
  }
};

/** Brings the copy up to date, and makes what a statement names. */
export type Prepare = (preparation: Preparation, preparing: Doing<PreparationNews>) => Promise<Position>;

const preparingFromService =
  (service: Omit<Service, 'signal'>): Prepare =>
  async (preparation, { signal, onNews }) => {
    const source = await openServiceCopySource({ ...service, signal });
    return prepareWarehouse(source, source.shownAs, preparation, { signal, onNews });
  };

export interface OpenedWarehouse {
  readonly terminal: Terminal;
  readonly directory: string;
  readonly prepareBy: Prepare;
  /** Aborted when the command is told to end. */
  readonly ending: AbortSignal;
}

/** Takes the warehouse and brings it up to date, telling how far that is. @returns with what gives it back, too */
export const preparing = (
  { terminal, directory, prepareBy, ending }: OpenedWarehouse,
  signal: AbortSignal,
) => {
  const say = sayNowAndThen(terminal);
  const onNews = (news: PreparationNews) => {
    if (news.kind === 'anew')
      print(
        terminal.stderr,
        'hiring: the warehouse is of another event log or code, has other masks or is damaged: made anew',
      );
    else say(() => newsText(news));
  };
  const onDropped = sayDropped(terminal);
  let release: (() => void) | undefined;
  return {
    prepare: async (preparation: Preparation): Promise<Position> => {
      release = await takeCopy(directory, WAIT_MS, terminal, ending);
      return prepareBy(preparation, { signal, onNews, onDropped });
    },
    giveBack: (): void => {
      release?.();
      release = undefined;
    },
  };
};

/**
 * Runs something on the warehouse of the stores or of a service. That with personal data is recorded before it is made,
 * and without `--keep` deleted afterwards.
 *
 * @param recorded what is recorded of a look at personal data
 * @param ifNotThere as for `asCliError`
 * @throws CliError for what is refused
 */
export const onWarehouse = async (
  terminal: Terminal,
  options: WarehouseOptions,
  recorded: (because: string) => ActParameters,
  run: (opened: OpenedWarehouse) => Promise<void>,
  ifNotThere: 1 | 2 = 2,
): Promise<void> => {
  const ending = endingOf(terminal);
  const opening = async (source: string, prepareBy: Prepare, where: WarehouseOptions): Promise<void> => {
    const directory = copyDirectoryOf(terminal, source, where);
    deleteUnkeptCopy(copyDirectoryOf(terminal, source, { ...where, personalData: true }));
    try {
      await run({ terminal, directory, prepareBy, ending });
    } finally {
      if (where.personalData) deleteUnkeptCopy(directory);
    }
  };
  try {
    const reason = reasonFor(options);
    const url = options.from?.service;
    if (url !== undefined) {
      await opening(url, preparingFromService({ terminal, url, reason }), options);
      return;
    }
    const config = historyConfigOf(terminal);
    const maskSecret = options.personalData ? undefined : config.codeSecret;
    const onStores = ({ eventStore }: StoreSettings, salvagedIn?: string): Promise<void> =>
      opening(
        copiedFrom(eventStore),
        (preparation, doing) => prepareBeside({ ...preparation, eventStore, maskSecret }, doing),
        // The warehouse of the whole event log is neither asked nor changed.
        salvagedIn === undefined ? options : { ...options, copy: join(salvagedIn, 'warehouse') },
      );
    await recordingPersonalData(config, reason, recorded, () =>
      reading(terminal, config.stores, options, onStores),
    );
  } catch (error) {
    throw asCliError(error, ifNotThere);
  }
};
