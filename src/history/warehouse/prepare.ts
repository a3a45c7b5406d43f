import { invalid } from '../../errors/domain-error.ts';
import { START, type Position } from '../../event-store/port.ts';
import { using } from '../../lib/using.ts';
import { openLog, type EventStoreSettings } from '../../stores.ts';
import { positionInFull } from '../moment/moment.ts';
import { maskBy, type Mask, type ShownAs } from '../moment/mask.ts';
import type { Doing } from '../threads/ordered.ts';
import { copySourceOf, type CopySource } from './copy-source.ts';
import { currentState, refreshCopy, type CopyState } from './copy.ts';
import { lastingDatabase, textOfQuery, type Database, type LastingDatabase } from './duckdb.ts';
import { makeReadModels } from './made.ts';
import { readStatement } from './statement.ts';

export interface Preparation {
  readonly statement: string;
  /** The copy's file, and where DuckDB may write what does not fit into its memory. */
  readonly file: string;
  readonly spillTo: string;
  /** As it was written; undefined: the end of the event log. */
  readonly atPosition: string | undefined;
}

/** The stores that a copy is made from, and what it is for; plain data, so that a thread can be given it. */
export interface StoresPreparation extends Preparation {
  readonly eventStore: EventStoreSettings;
  /** Of the masks; undefined for a copy with personal data. */
  readonly maskSecret: string | undefined;
}

export type PreparationNews =
  | { readonly kind: 'copied'; readonly events: number; readonly left: number | undefined }
  /** The copy was of another event log, or made by other code. */
  | { readonly kind: 'anew' }
  /** `of`: as far as known. */
  | {
      readonly kind: 'applied';
      readonly readModel: string;
      readonly events: number;
      readonly of: number | undefined;
    };

/** Does something with the copy that is made ready, and closes it then. */
export const withCopy = async <T>(
  { file, spillTo }: Preparation,
  act: (copy: LastingDatabase) => Promise<T>,
): Promise<T> => {
  const copy = lastingDatabase(file, { spillTo, isReadOnly: false, threads: 2 });
  try {
    return await act(copy);
  } finally {
    copy.close();
  }
};

/** The same, with the stores that it is made from. */
export const withStores = <T>(
  preparation: StoresPreparation,
  onDropped: Doing<PreparationNews>['onDropped'],
  act: (copy: LastingDatabase, source: CopySource, mask: Mask) => Promise<T>,
): Promise<T> =>
  using(openLog(preparation.eventStore, onDropped), (log) => {
    const mask = maskBy(preparation.maskSecret);
    return withCopy(preparation, (copy) => act(copy, copySourceOf(log, mask), mask));
  });

/**
 * How many events are to be read for a statement, at most, of an event log in a file, whose positions count them: those
 * that the copy has not, or all where rows of read models may have to be made.
 *
 * @throws DomainError for a statement that does more than read
 */
export const eventsToRead = async (
  { within }: LastingDatabase,
  source: CopySource,
  shownAs: ShownAs,
  { statement }: Preparation,
): Promise<number> => {
  const named = await within((database) => readStatement(database, statement));
  const head = Number(await source.head());
  if (named.length > 0) return head;
  const state = await within((database) => currentState(database, source, shownAs));
  return head - Number(state?.position ?? START);
};

/** @throws DomainError for a position at which no event stands */
const positionAsked = async (
  database: Database,
  asked: string | undefined,
  state: CopyState,
): Promise<Position> => {
  if (asked === undefined) return state.position;
  const position = positionInFull(asked, state.position);
  const isThere = await textOfQuery(database, 'SELECT 1 FROM copied.events WHERE position = $1', [position]);
  if (isThere === undefined)
    throw invalid(`No event stands at the position ${asked}; the last one is at ${state.position}`);
  return position;
};

/**
 * Brings a copy up to date, and makes the read models that a statement names.
 *
 * @returns the position that the statement is answered at
 * @throws DomainError for a statement that does more than read, before anything is copied; for a position or a moment
 *   that the copy does not reach, after it was brought up to date
 */
export const prepareCopy = async (
  copy: LastingDatabase,
  source: CopySource,
  shownAs: ShownAs,
  { statement, atPosition }: Preparation,
  { signal, onNews }: Pick<Doing<PreparationNews>, 'signal' | 'onNews'>,
): Promise<Position> => {
  const { within } = copy;
  const named = await within((database) => readStatement(database, statement));
  const state = await refreshCopy(copy, source, {
    shownAs,
    signal,
    onCopied: (events, left) => onNews({ kind: 'copied', events, left }),
    onRestart: () => onNews({ kind: 'anew' }),
  });
  const upTo = await within((database) => positionAsked(database, atPosition, state));
  await makeReadModels(copy, source, named, upTo, {
    signal,
    onEvents: (readModel, events, of) => onNews({ kind: 'applied', readModel, events, of }),
  });
  return upTo;
};
