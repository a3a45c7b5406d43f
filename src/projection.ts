import { deciders, type DomainEvent } from './domain/index.ts';
import type { Collection } from './read-models/port.ts';
import type { UnitOfWork } from './unit-of-work.ts';

/** A document as a handler sees it. */
export type Documents = Pick<UnitOfWork, 'get' | 'ids' | 'pages' | 'put' | 'remove'>;

type Handlers = {
  readonly [Type in DomainEvent['type']]?: (
    event: Extract<DomainEvent, { type: Type }>,
    documents: Documents,
  ) => Promise<void>;
};

/** A fold of events into documents. It sets absolute values and calls nothing outside. */
export interface Projection {
  readonly name: string;
  /** Raise it whenever the documents would come out differently: the next start rebuilds them. */
  readonly version: number;
  readonly collections: readonly Collection[];
  readonly handlers: Handlers;
}

type Handler = (event: DomainEvent, documents: Documents) => Promise<void>;

/** The projection's handler for a type of events, to be given no others. */
export const handlerOf = ({ handlers }: Projection, type: string): Handler | undefined =>
  Object.hasOwn(handlers, type) ? (handlers[type as keyof Handlers] as Handler) : undefined;

/** The types of events that some projections fold. */
export const typesFolded = (some: readonly Projection[]): string[] => [
  ...new Set(some.flatMap(({ handlers }) => Object.keys(handlers))),
];

/**
 * The categories of the streams that hold some types of events, in the order in which least has to be made anew: what
 * others look up comes first.
 */
export const categoriesWith = (types: readonly string[]): string[] =>
  deciders
    .filter(({ events }) => events.some(({ type }) => types.includes(type)))
    .map(({ category }) => category);
