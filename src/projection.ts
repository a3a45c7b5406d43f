import type { DomainEvent } from './domain/index.ts';
import type { Position } from './event-store/port.ts';
import type { Collection } from './read-models/port.ts';
import type { UnitOfWork } from './unit-of-work.ts';

/** A document as a handler sees it. */
export type Documents = Pick<UnitOfWork, 'get' | 'find' | 'put' | 'remove'>;

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
  /** What is derived comes before what it is derived from, and is stored in this order. */
  readonly collections: readonly Collection[];
  readonly handlers: Handlers;
}

/** Folds one event by the projection's handler for its type, if there is one. */
export const applyEvent = async (
  projection: Projection,
  event: DomainEvent,
  position: Position,
  documents: UnitOfWork,
): Promise<void> => {
  const handler = projection.handlers[event.type] as
    ((event: DomainEvent, documents: Documents) => Promise<void>) | undefined;
  if (!handler) return;
  documents.position = position;
  await handler(event, documents);
};
