import type { ChangedDocuments } from './changes.ts';
import { DocumentCache, type CachedDocument } from './document-cache.ts';
import { fromStore, fromStoreAtOnce } from './poison.ts';
import type { Collection, ReadModelStore, Stored, Write } from '../read-models/port.ts';
import { lookupKey, PendingReads } from './pending-reads.ts';

export type DocumentSource = Pick<ReadModelStore, 'get' | 'getMany' | 'ids' | 'atOnce'>;

/**
 * What is known of stored documents. What is not is read where the store answers synchronously, or else noted, to be
 * read together.
 */
export class ReadDocuments {
  readonly #source: DocumentSource;
  readonly #cache = new DocumentCache();
  readonly #pending = new PendingReads();
  /** By column and value, the ids that the store gave since documents were last stored. */
  readonly #looked = new Map<string, ReadonlySet<string>>();

  constructor(source: DocumentSource) {
    this.#source = source;
  }

  /** How often something unknown was asked for since the last read. */
  get missing(): number {
    return this.#pending.size;
  }

  /** Undefined where nothing is known, `doc: null` where the store holds none. @throws StoreFailure */
  known(collection: Collection, id: string): CachedDocument | undefined {
    const { atOnce } = this.#source;
    const known = this.#cache.get(collection, id);
    if (known || !atOnce) return known;
    const read = { doc: fromStoreAtOnce(() => atOnce.get(collection, id))?.doc ?? null };
    this.#cache.set(collection, id, read);
    return read;
  }

  want(collection: Collection, id: string): void {
    this.#pending.document(collection, id);
  }

  /** The ids of documents whose column has a value; none where unknown. @throws StoreFailure */
  ids(collection: Collection, column: string, value: string): Iterable<string> {
    const { atOnce } = this.#source;
    if (atOnce) return fromStoreAtOnce(() => atOnce.ids(collection, column, value));
    const looked = this.#looked.get(lookupKey(collection, column, value));
    if (!looked) this.#pending.lookup(collection, column, value);
    return looked ?? [];
  }

  /** To be called with the writes that the store has committed. */
  stored(writes: readonly Write[]): void {
    for (const { collection, id, ...known } of writes) this.#cache.set(collection, id, known);
    this.forgetIds();
  }

  forgetIds(): void {
    this.#looked.clear();
  }

  /** Reads what was noted. @param waiting changes that are not stored yet @throws StoreFailure */
  async read(waiting: readonly ChangedDocuments[]): Promise<void> {
    const { documents, lookups } = this.#pending.drain();
    const readDocuments = documents.map(async ({ collection, ids }) => {
      const stored = new Map((await this.#stored(collection, ids)).map(({ id, doc }) => [id, doc]));
      for (const id of ids) this.#cache.set(collection, id, { doc: stored.get(id) ?? null });
    });
    const readIds = lookups.map(async ({ key, collection, column, value }) => {
      const ids = new Set(await this.#source.ids(collection, column, value));
      // The answer may lack documents that are stored while the store answers.
      for (const changed of waiting)
        for (const id of changed.get(collection)?.idsWith(column, value) ?? []) ids.add(id);
      this.#looked.set(key, ids);
    });
    await fromStore(Promise.all([...readDocuments, ...readIds]));
  }

  #stored(collection: Collection, ids: readonly string[]): Promise<readonly Stored<object>[]> {
    const { getMany, get } = this.#source;
    if (getMany) return getMany(collection, ids);
    return Promise.all(ids.map((id) => get(collection, id))).then((all) =>
      all.filter((each) => each !== undefined),
    );
  }
}
