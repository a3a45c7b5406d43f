import type { RecordedEvent } from '../event-store/port.ts';
import type { ParkedStream } from '../read-models/port.ts';
import type { UntypedEvent } from '../streams/events.ts';
import type { JournaledChange } from './pending-changes.ts';
import { toPoisonEvent, type EventHeader, type PoisonEvent } from './parked-streams.ts';
import { handlerOf, type ProjectionDocuments, type Projection } from './projection.ts';
import { createMemorySource } from './document-source.ts';
import { DocumentUnitOfWork } from './document-unit-of-work.ts';

/** A recorded event; it is decoded once, for the first projection that asks for it: all are of one domain. */
export interface LazilyDecodedEvent extends EventHeader {
  readonly eventFor: (projection: Pick<Projection, 'decode'>) => UntypedEvent | undefined;
}

export const toLazilyDecodedEvent = (recorded: RecordedEvent): LazilyDecodedEvent => {
  const { id, type, position, stream, revision } = recorded;
  let event: UntypedEvent | undefined;
  return { id, type, position, stream, revision, eventFor: ({ decode }) => (event ??= decode(recorded)) };
};

/** Applies an event by a projection's handler, if any. @throws what it throws, or that the event is unreadable */
export const applyEvent = (projection: Projection, each: LazilyDecodedEvent, documents: ProjectionDocuments): void => {
  const handler = handlerOf(projection, each.type);
  const event = handler && each.eventFor(projection);
  if (event) handler(event, documents);
};

/**
 * Applies events to documents in memory, at first to none. A poison event parks its stream, as in the service.
 *
 * @param parked streams, each from a revision on, of which no event is applied
 */
export const createInMemoryApplier = (
  projection: Projection,
  parked: readonly Pick<ParkedStream, 'stream' | 'revision'>[] = [],
) => {
  const stored = createMemorySource();
  const documents = new DocumentUnitOfWork(stored, projection);
  const parkedFrom = new Map(parked.map(({ stream, revision }) => [stream, revision]));
  /** The first event of each stream that cannot be applied. */
  const poisons: PoisonEvent[] = [];
  /** Gives what has changed, in order. */
  const apply = (each: LazilyDecodedEvent): readonly JournaledChange[] => {
    if (each.revision >= (parkedFrom.get(each.stream) ?? Infinity)) return [];
    try {
      documents.tryHandling(() => applyEvent(projection, each, documents));
      return documents.journal;
    } catch (error) {
      // Not retried: the handler reads only memory.
      parkedFrom.set(each.stream, each.revision);
      poisons.push(toPoisonEvent(each, error));
      return [];
    }
  };
  return { documents, stored, poisons, apply };
};
