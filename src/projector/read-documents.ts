import { addTo, type Changes, type KnownDocument } from './changes.ts';
import type { Collection, ReadModelStore, Write } from '../read-models/port.ts';

/** The store did not give what a handler asked for: not the event's fault. */
export class StoreFailure extends Error {
  constructor(cause: unknown) {
    super('The store has failed', { cause });
  }
}

const asStoreFailure = (error: unknown): StoreFailure =>
  error instanceof StoreFailure ? error : new StoreFailure(error);

/** A store's answer, or a failure marked as the store's. @throws StoreFailure */
export const fromStore = async <T>(answer: Promise<T>): Promise<T> => {
  try {
    return await answer;
  } catch (error) {
    throw asStoreFailure(error);
  }
};

/** The same for a store that answers synchronously. @throws StoreFailure */
const fromStoreAtOnce = <T>(ask: () => T): T => {
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

export type DocumentSource = Pick<ReadModelStore, 'get' | 'ids' | 'atOnce'>;

interface Lookup {
  readonly collection: Collection;
  readonly column: string;
  readonly value: string;
}

/**
 * What is known of stored documents. What is not is read where the store answers synchronously, or else noted, to be
 * read together.
 */
export class ReadDocuments {
  readonly #source: DocumentSource;
  readonly #cache = new DocumentCache();
  /** By column and value, the ids that the store gave since documents were last stored. */
  readonly #found = new Map<string, ReadonlySet<string>>();
  #missingIds = new Map<Collection, Set<string>>();
  #missingLookups = new Map<string, Lookup>();
  /** How often something unknown was asked for since the last read. */
  missing = 0;

  constructor(source: DocumentSource) {
    this.#source = source;
  }

  /** Undefined where nothing is known, `doc: null` where the store holds none. @throws StoreFailure */
  known(collection: Collection, id: string): KnownDocument | undefined {
    const { atOnce } = this.#source;
    const known = this.#cache.get(collection, id);
    if (known || !atOnce) return known;
    const read = { doc: fromStoreAtOnce(() => atOnce.get(collection, id))?.doc ?? null };
    this.#cache.set(collection, id, read);
    return read;
  }

  /** Notes a document to be read. */
  want(collection: Collection, id: string): void {
    this.missing++;
    addTo(this.#missingIds, collection, id);
  }

  /** The ids of documents whose column has a value; none where unknown. @throws StoreFailure */
  ids(collection: Collection, column: string, value: string): Iterable<string> {
    const { atOnce } = this.#source;
    if (atOnce) return fromStoreAtOnce(() => atOnce.ids(collection, column, value));
    const key = `${collection.name} ${column} ${value}`;
    const found = this.#found.get(key);
    if (found) return found;
    this.missing++;
    this.#missingLookups.set(key, { collection, column, value });
    return [];
  }

  /** To be called with the writes that the store has committed. */
  committed(writes: readonly Write[]): void {
    for (const { collection, id, ...known } of writes) this.#cache.set(collection, id, known);
    this.forgetIds();
  }

  forgetIds(): void {
    this.#found.clear();
  }

  /** Reads what was noted. @param waiting changes that are not stored yet @throws StoreFailure */
  async read(waiting: readonly Changes[]): Promise<void> {
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
    await fromStore(Promise.all([...readDocuments, ...readIds]));
  }
}
