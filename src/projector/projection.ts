import type { DomainEvent } from '../domain/index.ts';
import type { Collection } from '../read-models/port.ts';

/**
 * The documents of a projection, as a handler sees them. A handler that asks for what has not been read yet is told that
 * there is none; it is run again when that has been read, and only what it does then counts.
 */
export interface Documents {
  /** Undefined where there is none. */
  get<Doc extends object>(collection: Collection<Doc>, id: string): Doc | undefined;
  /** The ids of the documents whose column has a value, and of some whose column had it a moment ago. */
  ids<Doc extends object>(
    collection: Collection<Doc>,
    column: keyof Doc & string,
    value: string,
  ): readonly string[];
  /**
   * Has something done for each document whose column has a value, after the handler: they may be very many. What is changed
   * then must come out the same when the event is handled again.
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

type Handlers = {
  readonly [Type in DomainEvent['type']]?: (
    event: Extract<DomainEvent, { type: Type }>,
    documents: Documents,
  ) => void;
};

/**
 * How a projection is built from nothing: group after group, so that only one group's documents are in memory. All events
 * of a stream have the same value of the member, or none has it.
 */
export interface Grouping {
  /** The member of an event's data whose value is its group; events without it come first. */
  readonly by: string;
  /** Collections of which a document is changed by several groups: they are in memory as a whole. */
  readonly shared: readonly Collection[];
}

/** A fold of events into documents. It sets absolute values, keeps nothing by itself and calls nothing outside. */
export interface Projection {
  readonly name: string;
  /** Raise it whenever the documents would come out differently: the next start rebuilds them. */
  readonly version: number;
  readonly collections: readonly Collection[];
  /** Left out: it is built in the log's order. */
  readonly grouping?: Grouping;
  readonly handlers: Handlers;
}

type Handler = (event: DomainEvent, documents: Documents) => void;

/** The projection's handler for a type of events, to be given no others. */
export const handlerOf = ({ handlers }: Projection, type: string): Handler | undefined =>
  Object.hasOwn(handlers, type) ? (handlers[type as keyof Handlers] as Handler) : undefined;

/** The types of events that some projections fold. */
export const typesFolded = (some: readonly Projection[]): string[] => [
  ...new Set(some.flatMap(({ handlers }) => Object.keys(handlers))),
];
