import { randomUUID } from 'node:crypto';
import { metadata } from './examples.ts';
import { decodeDomainEvent, type DomainEvent } from '../../src/domain/index.ts';
import {
  NO_STREAM,
  START_POSITION,
  type EventData,
  type EventStore,
  type Position,
} from '../../src/event-store/port.ts';
import type { Projection } from '../../src/projector/projection.ts';
import { startProjector, type Projector, type ProjectorOptions } from '../../src/projector/projector.ts';
import type { ProjectionStatus } from '../../src/projector/progress.ts';
import { defineCollection, type ReadModelStore } from '../../src/read-models/port.ts';
import { memoryLog, openMemoryEventStore, openMemoryReadModels, type MemoryLog } from './memory-stores.ts';

/** Longer than anything here takes: a test that waits so long has failed. */
export const LONG_MS = 5_000;

/** What the commit of a document waits for. */
const holds = new WeakMap<object, Promise<void>>();

/**
 * A projection that keeps which postings closed, and records the events that it gets.
 *
 * @param before called with each posting before its closing is applied; may throw, or give what the commit of its
 * document waits for
 */
export const closings = (name: string, before: (postingId: string) => Promise<void> | void = () => undefined) => {
  const collection = defineCollection<{ readonly number: number }>({ name, partition: 'id', indexes: [['number']] });
  const given: string[] = [];
  const projection: Projection<DomainEvent> = {
    name,
    version: 1,
    collections: [collection],
    decode: decodeDomainEvent,
    handlers: {
      PostingClosed({ data: { postingId } }, documents) {
        given.push(postingId);
        const held = before(postingId);
        const closing = { number: given.length };
        if (held) holds.set(closing, held);
        documents.put(collection, postingId, closing);
      },
    },
  };
  const closed = async (readModels: ReadModelStore) =>
    (await readModels.find(collection, { filter: {}, order: [['id', 'ascending']] })).map(({ id }) => id);
  return { projection, given, closed };
};

/** The event that a posting closed. */
export const closing = (postingId: string, id: string = randomUUID()): EventData => ({
  id,
  type: 'PostingClosed',
  version: 1,
  data: { postingId },
  metadata,
});

/** Resolves once the condition holds. */
export const until = async (holds: () => boolean): Promise<void> => {
  while (!holds()) await new Promise<void>((resolve) => setImmediate(resolve));
};

/** Stores in memory, and projectors on them. */
export interface Stage {
  readonly log: MemoryLog;
  readonly eventStore: EventStore;
  readonly readModels: ReadModelStore;
  readonly errors: readonly string[];
  start(projections: readonly Projection[], options?: Partial<ProjectorOptions>): Promise<Projector>;
  /** Closes postings; gives the position of the last closing. */
  close(...postingIds: string[]): Promise<Position>;
  /** A promise that the test resolves, at the latest at the end. */
  gate(): { readonly open: () => void; readonly opened: Promise<void> };
  /** Opens every gate and stops every projector. */
  end(): Promise<void>;
}

export const newStage = (): Stage => {
  const log = memoryLog();
  const memory = openMemoryReadModels();
  const readModels: ReadModelStore = {
    ...memory,
    async commit(projection, writes, checkpoint) {
      for (const { doc } of writes) if (doc) await holds.get(doc);
      await memory.commit(projection, writes, checkpoint);
    },
  };
  const eventStore = openMemoryEventStore(log);
  const errors: string[] = [];
  const running: Projector[] = [];
  const gates: (() => void)[] = [];
  return {
    log,
    eventStore,
    readModels,
    errors,
    async start(projections, options = {}) {
      const onError = (name: string, error: unknown) => errors.push(`${name}: ${String(error)}`);
      const retryAfterMs = { min: 1, max: 4 };
      const projector = await startProjector({
        eventStore,
        readModels,
        projections,
        onError,
        retryAfterMs,
        retryEventAfterMs: 0,
        ...options,
      });
      running.push(projector);
      return projector;
    },
    async close(...postingIds) {
      let position = START_POSITION;
      for (const postingId of postingIds) {
        const event = closing(postingId, `closing of ${postingId}`);
        const stream = `posting-${postingId}`;
        const result = await eventStore.append({ stream, expectedRevision: NO_STREAM, events: [event] });
        if (result.kind === 'appended') position = result.position;
      }
      return position;
    },
    gate() {
      let open: () => void = () => undefined;
      const opened = new Promise<void>((resolve) => (open = resolve));
      gates.push(open);
      return { open, opened };
    },
    async end() {
      for (const open of gates) open();
      await Promise.all(running.map((projector) => projector.stop()));
    },
  };
};

export const statusOf = (projector: Projector, name: string): ProjectionStatus | undefined =>
  projector.status().find((status) => status.name === name);
