import { randomUUID } from 'node:crypto';
import type {
  AppendRequest,
  EventData,
  EventStore,
  KeyedRequest,
  NewIdempotencyRecord,
  Position,
  IdempotencyRecord,
  RecordedEvent,
} from '../../src/event-store/port.ts';
import { NO_STREAM } from '../../src/event-store/port.ts';
import type { JsonObject } from '../../src/schema/json.ts';

/** Streams, ids and keys are new each time, so that the contract suite can run on a store that holds other events. */
export const newStream = (): string => `contract-${randomUUID()}`;

export const newEvent = (data: JsonObject = {}): EventData => ({
  id: randomUUID(),
  type: 'ContractTried',
  version: 1,
  data,
  metadata: { recordedAt: '2026-03-01T09:30:00.000Z' },
});

/** So many events, numbered in their data. */
export const newEvents = (count: number): EventData[] =>
  Array.from({ length: count }, (_, number) => newEvent({ number }));

export const newIdempotencyRecord = (change: Partial<NewIdempotencyRecord> = {}): NewIdempotencyRecord => ({
  key: randomUUID(),
  fingerprint: 'the request',
  result: { id: 'résultat', nested: { list: [1, null, ''] } },
  storedAt: '2026-03-01T09:30:00.000Z',
  expiresAt: '2026-03-02T09:30:00.000Z',
  ...change,
});

/** Appends, which must succeed; gives the position of the last event. */
export const appended = async (store: EventStore, append: AppendRequest): Promise<Position> => {
  const result = await store.append(append);
  if (result.kind !== 'appended') throw new Error(`The append was refused: ${result.kind}`);
  return result.position;
};

/** What an idempotency record keeps of its request; undefined when there is none. */
export const idempotencyRecordUnder = async (
  store: Pick<EventStore, 'findIdempotencyRecord'>,
  request: KeyedRequest,
): Promise<IdempotencyRecord | undefined> => {
  const state = await store.findIdempotencyRecord(request);
  return state.kind === 'found' ? state.idempotencyRecord : undefined;
};

/** Begins a stream with so many events. */
export const begin = async (store: EventStore, count: number): Promise<{ stream: string; position: Position }> => {
  const stream = newStream();
  const position = await appended(store, { stream, expectedRevision: NO_STREAM, events: newEvents(count) });
  return { stream, position };
};

export const idsOf = (events: readonly EventData[]): string[] => events.map(({ id }) => id);

/** All events after a position, read in pages of a size. */
export const readPages = async (store: EventStore, after: Position, size: number): Promise<RecordedEvent[][]> => {
  const pages: RecordedEvent[][] = [];
  for (let last = after; ;) {
    const page = await store.readAll(last, size);
    pages.push(page);
    const end = page.at(-1);
    if (!end) return pages;
    last = end.position;
  }
};
