import {
  keyStateOf,
  withInMemoryKeyClaims,
  type RequestIdByKey,
  type StoreWithoutClaims,
} from '../../src/event-store/embedded/in-memory-claims.ts';
import { cutBatches } from '../../src/event-store/group-batches.ts';
import {
  CannotResumeError,
  START_POSITION,
  type EventStore,
  type EventPointer,
  type Position,
  type IdempotencyRecord,
  type RecordedEvent,
} from '../../src/event-store/port.ts';
import { canonicalJson } from '../../src/schema/json.ts';
import { toInsertWrites } from '../../src/read-models/columns.ts';
import {
  DuplicateInsertError,
  type Checkpoint,
  type Collection,
  type Condition,
  type Filter,
  type ReadModelStore,
  type StoredDocument,
  type DocumentWrite,
} from '../../src/read-models/port.ts';
import { foldCase } from '../../src/read-models/in-memory-query.ts';

/**
 * Both stores in memory, for tests that run thousands of histories. They pass the contract suites. An event log or a
 * set of read
 * models outlives the store that was opened on it, so that a test can restart the service.
 */
export interface MemoryLog {
  readonly events: RecordedEvent[];
  readonly idempotencyRecords: Map<string, IdempotencyRecord>;
  readonly holders: RequestIdByKey;
}
export const memoryLog = (): MemoryLog => ({ events: [], idempotencyRecords: new Map(), holders: new Map() });

const positionOf = (count: number): Position => (count === 0 ? START_POSITION : String(count).padStart(6, '0'));
const copy = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;
/** What is shared with readers, who may not change it. */
const freeze = <T extends object>(value: T): T => {
  if (Object.isFrozen(value)) return value;
  for (const member of Object.values(value) as unknown[])
    if (typeof member === 'object' && member !== null) freeze(member);
  return Object.freeze(value);
};

export const openMemoryEventStore = (log: MemoryLog = memoryLog()): EventStore => {
  const { events, idempotencyRecords, holders } = log;
  const waiting = new Set<() => void>();
  const wakeAll = () => {
    for (const wake of waiting) wake();
    waiting.clear();
  };
  const eventAfter = (position: Position, signal: AbortSignal) =>
    new Promise<void>((resolve) => {
      const wake = () => {
        signal.removeEventListener('abort', wake);
        waiting.delete(wake);
        resolve();
      };
      waiting.add(wake);
      signal.addEventListener('abort', wake);
      if (events.length > Number(position) || signal.aborted) wake();
    });
  const readAll = (after: Position, limit: number) => events.slice(Number(after), Number(after) + limit).map(freeze);
  const eventAt = (position: Position): RecordedEvent | undefined => {
    const event = events[Number(position) - 1];
    return event?.position === position ? event : undefined;
  };

  const keyed: StoreWithoutClaims = {
    append: async ({ stream, expectedRevision, events: added, idempotencyRecord, lastSeen }) => {
      // Waits a turn, so that appends interleave as on a remote store.
      await Promise.resolve();
      const revision = events.filter((event) => event.stream === stream).length - 1;
      if (revision !== expectedRevision) return { kind: 'wrong-revision' };
      const recorded = copy(added).map((event, index) => ({
        ...event,
        stream,
        revision: revision + 1 + index,
        position: positionOf(events.length + 1 + index),
      }));
      const last = positionOf(events.length + recorded.length);
      const position = recorded.length > 0 ? last : (lastSeen ?? last);
      if (idempotencyRecord) {
        const { key, fingerprint, result, expiresAt, storedAt } = idempotencyRecord;
        const before = idempotencyRecords.get(key);
        if (before && before.expiresAt > storedAt) return { kind: 'key-taken' };
        idempotencyRecords.set(key, copy({ key, fingerprint, result, expiresAt, position }));
      }
      events.push(...recorded);
      if (recorded.length > 0) wakeAll();
      return { kind: 'appended', position };
    },
    findIdempotencyRecord: (request) => {
      const idempotencyRecord = idempotencyRecords.get(request.key);
      return Promise.resolve(
        keyStateOf(
          idempotencyRecord && idempotencyRecord.expiresAt > request.storedAt ? copy(idempotencyRecord) : undefined,
          request,
        ),
      );
    },
  };

  return {
    ...withInMemoryKeyClaims(keyed, holders),
    async appendInOrder(appends) {
      for (const append of appends) if ((await keyed.append(append)).kind !== 'appended') return append.stream;
      return undefined;
    },
    readStream: (stream, from = 0) =>
      Promise.resolve(events.filter((event) => event.stream === stream && event.revision >= from).map(freeze)),
    readStreams: (streams) => {
      const wanted = new Set(streams);
      return Promise.resolve(events.filter(({ stream }) => wanted.has(stream)).map(freeze));
    },
    readAll: (after, limit) => Promise.resolve(readAll(after, limit)),
    async *subscribe(after, { batchSize, signal, types }) {
      let position = after;
      if (after !== START_POSITION && !eventAt(after)) throw new CannotResumeError(after);
      while (!signal.aborted) {
        const batch = readAll(position, batchSize);
        const end = batch.at(-1);
        if (end) {
          position = end.position;
          const asked = batch.filter(({ type }) => types?.includes(type) ?? true);
          const last: EventPointer = { position, id: end.id };
          yield { events: asked, position, isLast: Number(position) === events.length, last };
        } else {
          await eventAfter(position, signal);
        }
      }
    },
    async *readGroups({ by, types, upTo, batchSize, after }, signal) {
      const groupOf = ({ data }: RecordedEvent) => (typeof data[by] === 'string' ? data[by] : '');
      const asked = events.filter(({ type, position }) => types.includes(type) && position <= upTo);
      const sorted = asked
        .map((event) => ({ group: groupOf(event), text: JSON.stringify(event) }))
        .filter(({ group }) => after === undefined || group > after)
        .sort((a, b) => (a.group === b.group ? 0 : a.group < b.group ? -1 : 1));
      for (const batch of cutBatches(sorted, batchSize)) {
        yield await Promise.resolve(batch);
        if (signal.aborted) return;
      }
    },
    head: () => Promise.resolve(positionOf(events.length)),
    recordAt: (position) => {
      const event = eventAt(position);
      return Promise.resolve(event && { id: event.id, stream: event.stream, revision: event.revision });
    },
    countOf: (types, upTo) => {
      const isCounted = ({ type, position }: RecordedEvent) => types.includes(type) && position <= upTo;
      return Promise.resolve(events.filter(isCounted).length);
    },
    countAfter: (position) => Promise.resolve(Math.max(0, events.length - Number(position))),
    idempotencyRecords: (now) =>
      Promise.resolve([...idempotencyRecords.values()].filter(({ expiresAt }) => expiresAt > now).map(copy)),
    close: () => {
      wakeAll();
      return Promise.resolve();
    },
  };
};

type Documents = Map<string, StoredDocument<object>>;
interface StoredProjection {
  readonly definition: string;
  readonly collections: readonly string[];
  checkpoint: Checkpoint | undefined;
  /** Held for the next commit. */
  inserted: DocumentWrite[];
}
export interface MemoryReadModels {
  readonly projections: Map<string, StoredProjection>;
  readonly collections: Map<string, Documents>;
}
export const memoryReadModels = (): MemoryReadModels => ({ projections: new Map(), collections: new Map() });

const memberOf = (doc: object, name: string): unknown =>
  (Object.hasOwn(doc, name) ? (Reflect.get(doc, name) as unknown) : undefined) ?? null;

/** null, then numbers, then texts by code point. */
const compare = (a: unknown, b: unknown): number => {
  const rank = (value: unknown) => (value === null ? 0 : typeof value === 'number' ? 1 : 2);
  if (rank(a) !== rank(b)) return rank(a) - rank(b);
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return Buffer.compare(Buffer.from(String(a)), Buffer.from(String(b)));
};

const holds = (value: unknown, condition: Condition): boolean => {
  if (typeof condition !== 'object') return value === condition;
  if ('in' in condition) return condition.in.some((each) => each === value);
  return typeof value === 'string' && foldCase(value).includes(foldCase(condition.contains));
};

export const openMemoryReadModels = (disk: MemoryReadModels = memoryReadModels()): ReadModelStore => {
  const documentsOf = ({ name }: Pick<Collection, 'name'>): Documents => {
    let documents = disk.collections.get(name);
    if (!documents) disk.collections.set(name, (documents = new Map<string, StoredDocument<object>>()));
    return documents;
  };
  const matching = <Doc extends object>(collection: Collection<Doc>, filter: Filter<Doc>): StoredDocument<Doc>[] => {
    const conditions = Object.entries<Condition | undefined>(filter);
    const found = [...documentsOf(collection).values()].filter(({ doc }) =>
      conditions.every(([name, condition]) => condition === undefined || holds(memberOf(doc, name), condition)),
    );
    // A collection's documents were stored with this type.
    return found as StoredDocument<Doc>[];
  };
  const definitionOf = ({ version, collections }: Parameters<ReadModelStore['prepare']>[0]) =>
    canonicalJson({ version, collections });
  const reset: ReadModelStore['reset'] = (projection) => {
    const names = projection.collections.map(({ name }) => name);
    for (const name of [...(disk.projections.get(projection.name)?.collections ?? []), ...names])
      disk.collections.delete(name);
    const definition = definitionOf(projection);
    disk.projections.set(projection.name, { definition, collections: names, checkpoint: undefined, inserted: [] });
    return Promise.resolve();
  };

  return {
    async prepare(projection) {
      const stored = disk.projections.get(projection.name);
      if (stored) stored.inserted = [];
      if (stored?.checkpoint && stored.definition === definitionOf(projection)) return stored.checkpoint;
      await reset(projection);
      return undefined;
    },
    reset,
    insert(projection, documents) {
      const stored = disk.projections.get(projection.name);
      if (!stored) return Promise.reject(new Error(`${projection.name} was not prepared`));
      const isThere = ({ collection, id }: DocumentWrite) =>
        documentsOf(collection).has(id) ||
        stored.inserted.some((each) => each.collection === collection && each.id === id);
      for (const write of projection.collections.flatMap((each) => toInsertWrites(each, documents))) {
        if (isThere(write)) return Promise.reject(new DuplicateInsertError(write.id));
        stored.inserted.push(write);
      }
      return Promise.resolve();
    },
    commit(projection, writes, checkpoint) {
      const stored = disk.projections.get(projection.name);
      if (!stored) return Promise.reject(new Error(`${projection.name} was not prepared`));
      const copies = [...stored.inserted.splice(0), ...writes].map(({ collection, id, doc }) => ({
        collection,
        id,
        doc: doc && freeze(copy(doc)),
      }));
      for (const { collection, id, doc } of copies)
        if (doc) documentsOf(collection).set(id, { id, doc });
        else documentsOf(collection).delete(id);
      stored.checkpoint = checkpoint;
      return Promise.resolve();
    },
    checkpointOf(name) {
      return Promise.resolve(disk.projections.get(name)?.checkpoint);
    },
    scan(collection, after, limit) {
      const found = [...documentsOf(collection).values()].filter(({ id }) => compare(id, after) > 0);
      const sorted = found.sort((a, b) => compare(a.id, b.id)).slice(0, limit);
      return Promise.resolve(sorted.map(({ id, doc }) => ({ id, text: JSON.stringify(doc) })));
    },
    ids: (collection, column, value) =>
      Promise.resolve(
        [...documentsOf(collection).values()].filter(({ doc }) => memberOf(doc, column) === value).map(({ id }) => id),
      ),
    drop(name) {
      for (const each of disk.projections.get(name)?.collections ?? []) disk.collections.delete(each);
      disk.projections.delete(name);
      return Promise.resolve();
    },
    get: <Doc extends object>(collection: Collection<Doc>, id: string) =>
      Promise.resolve(documentsOf(collection).get(id) as StoredDocument<Doc> | undefined),
    find(collection, { filter, order = [], skip = 0, limit = Infinity }) {
      const found = matching(collection, filter);
      const keyOf = (stored: StoredDocument<object>, name: string) =>
        name === 'id' ? stored.id : memberOf(stored.doc, name);
      found.sort((a, b) => {
        for (const [name, direction] of order) {
          const difference = compare(keyOf(a, name), keyOf(b, name));
          if (difference !== 0) return direction === 'ascending' ? difference : -difference;
        }
        return 0;
      });
      return Promise.resolve(found.slice(skip, skip + limit));
    },
    count: (collection, filter) => Promise.resolve(matching(collection, filter).length),
    close: () => Promise.resolve(),
  };
};
