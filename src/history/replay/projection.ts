import type { Metadata } from '../../streams/events.ts';
import type { DomainEvent } from '../../domain/index.ts';
import type { RecordedEvent } from '../../event-store/port.ts';
import type { Json } from '../../schema/json.ts';
import type { Moment } from '../moment/moment.ts';
import type { MemberColumn } from '../warehouse/member-columns.ts';

/** What an analyst's own file exports, for `hiring history replay`. */

/** How an event came to be: who did it, by which request, and when it was recorded. */
export type ReplayedMetadata = Pick<Metadata, '$correlationId' | 'actor' | 'requestId' | 'recordedAt'>;

/**
 * An event of the newest version of its type, and where it stands in the event log. Where personal data is masked, the
 * members that `withheld` lists are null, whatever their type says.
 */
export type ReplayedEvent<Type extends DomainEvent['type'] = DomainEvent['type']> = Pick<
  Extract<DomainEvent, { readonly type: Type }>,
  'type' | 'data'
> & { readonly metadata: ReplayedMetadata; readonly withheld?: readonly string[] } & Pick<
    RecordedEvent,
    'position' | 'stream' | 'revision' | 'id'
  >;

/** A row of the answer: an object that JSON can hold. A member that is undefined is left out. */
export type ReplayRow = Readonly<Record<string, Json | undefined>>;

/** An analyst's own projection, whose state is in memory. */
export interface ReplayProjection<State> {
  /** The state before the first event. */
  init(): State;
  /**
   * What each type of events does to the state, which it changes. Called in the event log's order; other types are not
   * read. It returns nothing, and no promise.
   */
  readonly handlers: { readonly [Type in DomainEvent['type']]?: (event: ReplayedEvent<Type>, state: State) => void };
  /**
   * The rows of the answer, which may be a generator's: they are written as they come.
   *
   * @param end the moment up to which events were read
   */
  rows(state: State, end: Moment): Iterable<ReplayRow> | AsyncIterable<ReplayRow>;
  /** The columns of CSV and Parquet in their order; left out: those that the rows show. */
  readonly columns?: Readonly<Record<string, MemberColumn['type']>>;
  /** Whether it makes no sense with masks in place of personal members, and without places. */
  readonly personalData?: boolean;
}
