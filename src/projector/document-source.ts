import { addUnderKey, PendingChanges, type KnownDocument } from './pending-changes.ts';
import type { Collection, ReadModelStore, DocumentWrite } from '../read-models/port.ts';

/** What a unit of work finds beneath its changes. */
export interface DocumentSource {
  /** Undefined where nothing is known, `doc: null` where there is none. @throws StoreFailureError */
  known(collection: Collection, id: string): KnownDocument | undefined;
  /** Notes a document to be read. */
  want(collection: Collection, id: string): void;
  /** The ids of documents whose column has a value; none where unknown. @throws StoreFailureError */
  ids(collection: Collection, column: string, value: string): Iterable<string>;
  /** How often something unknown was asked for since the last read. */
  readonly missing: number;
  /** Reads what was noted. @param waiting changes that are not stored yet @throws StoreFailureError */
  read(waiting: readonly PendingChanges[]): Promise<void>;
  /** To be called with what is stored from now on. */
  committed(writes: readonly DocumentWrite[]): void;
}

const ABSENT: KnownDocument = { doc: null };

/** The source of documents that are all in memory: at first there are none. */
export const createMemorySource = (): DocumentSource => {
  const documents = new PendingChanges();
  return {
    known: (collection, id) => documents.get(collection, id) ?? ABSENT,
    want: () => undefined,
    ids: (collection, column, value) => documents.idsWith(collection, column, value),
    missing: 0,
    read: () => Promise.resolve(),
    committed(writes) {
      for (const { collection, id, ...known } of writes) documents.set(collection, id, known);
      documents.begin();
    },
  };
};

/** The store did not give what a handler asked for: not the event's fault. */
export class StoreFailureError extends Error {
  constructor(cause: unknown) {
    super('The store has failed', { cause });
  }
}

const asStoreFailure = (error: unknown): StoreFailureError =>
  error instanceof StoreFailureError ? error : new StoreFailureError(error);

/** A store's answer, or a failure marked as the store's. @throws StoreFailureError */
export const wrapStoreFailure = async <T>(answer: Promise<T>): Promise<T> => {
  try {
    return await answer;
  } catch (error) {
    throw asStoreFailure(error);
  }
};

/** The same for a store that answers synchronously. @throws StoreFailureError */
const wrapStoreFailureSync = <T>(ask: () => T): T => {
  try {
    return ask();
  } catch (error) {
    throw asStoreFailure(error);
  }
};

const MAX_CACHED = 12_000;

/**
 * The documents that a projection has lately read or stored, and ids under which there is none. They stay valid: only
 * this projection writes them. When full, the least recently used half goes: two maps cost less than an order of use.
 */
export class DocumentCache {
  #young = new Map<Collection, Map<string, KnownDocument>>();
  #old = new Map<Collection, Map<string, KnownDocument>>();
  #count = 0;

  get(collection: Collection, id: string): KnownDocument | undefined {
    const young = this.#young.get(collection)?.get(id);
    if (young) return young;
    const old = this.#old.get(collection)?.get(id);
    if (old) this.set(collection, id, old);
    return old;
  }

  set(collection: Collection, id: string, known: KnownDocument): void {
    if (this.#count >= MAX_CACHED / 2) {
      this.#old = this.#young;
      this.#young = new Map();
      this.#count = 0;
    }
    let documents = this.#young.get(collection);
    if (!documents) this.#young.set(collection, (documents = new Map<string, KnownDocument>()));
    if (!documents.has(id)) this.#count++;
    documents.set(id, known);
  }
}

interface Lookup {
  readonly collection: Collection;
  readonly column: string;
  readonly value: string;
}

/** Documents of a store: read at once where it answers synchronously, or else noted, to be read together. */
export class StoreDocumentSource implements DocumentSource {
  readonly #source: Pick<ReadModelStore, 'get' | 'ids' | 'atOnce'>;
  readonly #cache = new DocumentCache();
  /** By column and value, the ids that the store gave since documents were last stored. */
  readonly #found = new Map<string, ReadonlySet<string>>();
  #missingIds = new Map<Collection, Set<string>>();
  #missingLookups = new Map<string, Lookup>();
  missing = 0;

  constructor(source: Pick<ReadModelStore, 'get' | 'ids' | 'atOnce'>) {
    this.#source = source;
  }

  known(collection: Collection, id: string): KnownDocument | undefined {
    const { atOnce } = this.#source;
    const known = this.#cache.get(collection, id);
    if (known || !atOnce) return known;
    const read = { doc: wrapStoreFailureSync(() => atOnce.get(collection, id))?.doc ?? null };
    this.#cache.set(collection, id, read);
    return read;
  }

  want(collection: Collection, id: string): void {
    this.missing++;
    addUnderKey(this.#missingIds, collection, id);
  }

  ids(collection: Collection, column: string, value: string): Iterable<string> {
    const { atOnce } = this.#source;
    if (atOnce) return wrapStoreFailureSync(() => atOnce.ids(collection, column, value));
    const key = `${collection.name} ${column} ${value}`;
    const found = this.#found.get(key);
    if (found) return found;
    this.missing++;
    this.#missingLookups.set(key, { collection, column, value });
    return [];
  }

  committed(writes: readonly DocumentWrite[]): void {
    for (const { collection, id, ...known } of writes) this.#cache.set(collection, id, known);
    this.#found.clear();
  }

  async read(waiting: readonly PendingChanges[]): Promise<void> {
    const [missing, lookups] = [this.#missingIds, this.#missingLookups];
    this.#missingIds = new Map();
    this.#missingLookups = new Map();
    this.missing = 0;
    const readDocuments = [...missing].flatMap(([collection, ids]) =>
      Array.from(ids, async (id) => {
        const stored = await this.#source.get(collection, id);
        this.#cache.set(collection, id, { doc: stored?.doc ?? null });
      }),
    );
    const readIds = Array.from(lookups, async ([key, { collection, column, value }]) => {
      const ids = new Set(await this.#source.ids(collection, column, value));
      // The answer may lack documents that are stored while the store answers.
      for (const changes of waiting) for (const id of changes.idsWith(collection, column, value)) ids.add(id);
      this.#found.set(key, ids);
    });
    await wrapStoreFailure(Promise.all([...readDocuments, ...readIds]));
  }
}
