import type { RecordedEvent } from '../event-store/port.ts';
import type { Collection } from '../read-models/port.ts';
import type { UntypedEvent } from '../streams/events.ts';

/**
 * A projection's documents, as a handler sees them. One that is not read yet is missing at first; the handler runs
 * again once it is read, and only its last run counts.
 */
export interface ProjectionDocuments {
  /** Undefined where there is none. */
  get<Doc extends object>(collection: Collection<Doc>, id: string): Doc | undefined;
  /** The ids of the documents whose column has a value, and of some whose column had it a moment ago. */
  ids<Doc extends object>(collection: Collection<Doc>, column: keyof Doc & string, value: string): readonly string[];
  /**
   * Calls `act` for each document whose column has a value, after the handler: there may be very many. What it changes
   * must come out the same when the event is handled again.
   */
  each<Doc extends object>(
    collection: Collection<Doc>,
    column: keyof Doc & string,
    value: string,
    act: (id: string, doc: Doc) => void,
  ): void;
  put<Doc extends object>(collection: Collection<Doc>, id: string, doc: Doc): void;
  remove(collection: Collection, id: string): void;
}

/** A method's type, which TypeScript lets stand for one of any event: a handler gets events of its own type alone. */
export type Handler<Event extends UntypedEvent> = {
  apply(event: Event, documents: ProjectionDocuments): void;
}['apply'];

type Handlers<Event extends UntypedEvent> = {
  readonly [Type in Event['type']]?: Handler<Extract<Event, { type: Type }>>;
};

/**
 * The member of an event's data that names its group: events without it come first in a build. All events of a stream
 * have the same value, or none has one.
 */
export const EVENT_PARTITION_KEY = 'professionalId';

/**
 * Applies events to documents. Handlers set absolute values, keep no state and call nothing outside.
 *
 * @template Event any event of its domain
 */
export interface Projection<Event extends UntypedEvent = UntypedEvent> {
  readonly name: string;
  /** To be raised whenever the documents would come out differently: the next start rebuilds them. */
  readonly version: number;
  readonly collections: readonly Collection[];
  /**
   * Collections whose documents several groups change. It is built from nothing group by group: these documents are in
   * memory as a whole, others while their group is. Left out: it is built in the order of the event log.
   */
  readonly shared?: readonly Collection[];
  /** The collection in which a build keeps the documents of one that handlers name; left out: that same one. */
  readonly toPhysical?: <C extends Collection>(logical: C) => C;
  /** Undefined for an event of no type of the domain. @throws where it cannot be read */
  readonly decode: (event: RecordedEvent) => Event | undefined;
  readonly handlers: Handlers<Event>;
}

/** The handler for a type of events, to be given no other type. */
export const handlerOf = ({ handlers }: Projection, type: string): Handler<UntypedEvent> | undefined =>
  Object.hasOwn(handlers, type) ? handlers[type] : undefined;

/** The event types that some projections apply. */
export const typesApplied = (some: readonly Projection[]): string[] => [
  ...new Set(some.flatMap(({ handlers }) => Object.keys(handlers))),
];
