import { setImmediate } from 'node:timers/promises';
import type { Absence } from './absence.ts';
import { Changes, memberOf } from './changes.ts';
import { DocumentCache, type Known } from './document-cache.ts';
import type { Position } from './event-store/port.ts';
import { StoreFailure } from './poison.ts';
import type { Collection, ReadModels, Stored, Write } from './read-models/port.ts';

/** How long a fold may keep the event loop to itself. */
const BREATHE_AFTER_MS = 10;

type Handle = () => Promise<void>;

/**
 * The documents that some events touch: read once, changed in memory, stored once. A document that already holds an
 * event is left alone when that event comes again, which is what makes a replay harmless.
 */
export class UnitOfWork {
  /** Of the event that is being folded. */
  position: Position = '';
  /** False while documents are built from nothing: no event comes twice then, nor in the log's order. */
  isGuarded = true;
  readonly #readModels: ReadModels;
  /** What is known to be stored. */
  readonly #cache = new DocumentCache();
  readonly #absence: Absence | undefined;
  #changed = new Map<Collection, Changes>();
  /** What is being stored. */
  #leaving = new Map<Collection, Changes>();
  /** What a rehearsal would read; undefined while there is none. */
  #wanted: Map<Collection, Set<string>> | undefined;
  /** How often rehearsed handlers would have read. */
  #wants = 0;
  #size = 0;
  /** Takes back, last first, what the handler has changed that runs. */
  #undo: (() => void)[] = [];
  #breathedAt = performance.now();

  /**
   * @param absence to be given when nothing is stored yet: it learns of all that comes to be
   */
  constructor(readModels: ReadModels, absence?: Absence) {
    this.#absence = absence;
    this.#readModels = readModels;
  }

  /** How many documents have changed. */
  get size(): number {
    return this.#size;
  }

  async get<Doc extends object>(collection: Collection<Doc>, id: string): Promise<Doc | undefined> {
    if (performance.now() - this.#breathedAt > BREATHE_AFTER_MS) await this.#breathe();
    const known = this.#known(collection, id);
    if (known) return (known.doc ?? undefined) as Doc | undefined;
    if (this.#absence?.isCertain(collection, 'id', id)) return undefined;
    if (this.#wanted) {
      this.#wants++;
      const ids = this.#wanted.get(collection);
      if (ids) ids.add(id);
      else this.#wanted.set(collection, new Set([id]));
      return undefined;
    }
    const stored = await fromStore(this.#readModels.get(collection, id));
    this.#cache.set(collection, id, { doc: stored?.doc ?? null, position: stored?.position ?? '' });
    return stored?.doc;
  }

  /** All documents of a collection whose column has a value. */
  async find<Doc extends object>(
    collection: Collection<Doc>,
    column: keyof Doc & string,
    value: string,
  ): Promise<{ id: string; doc: Doc }[]> {
    const layers = [this.#leaving.get(collection), this.#changed.get(collection)].flatMap(
      (each) => each ?? [],
    );
    const isNewer = (id: string, above: number) =>
      layers.some(({ entries }, at) => at >= above && entries.has(id));
    const filter: { [c in keyof Doc & string]?: string } = {};
    filter[column] = value;
    const found: { id: string; doc: Doc }[] = [];
    if (this.#wanted) return found;
    if (learns(collection, column) && this.#absence?.isCertain(collection, column, value)) return found;
    for (const stored of await fromStore(this.#readModels.find(collection, { filter })))
      if (!isNewer(stored.id, 0)) found.push({ id: stored.id, doc: this.#remember(collection, stored) });
    for (const [at, layer] of layers.entries())
      for (const id of layer.idsWith(column, value)) {
        const doc = layer.entries.get(id)?.doc as Doc | null | undefined;
        if (doc && !isNewer(id, at + 1)) found.push({ id, doc });
      }
    return found;
  }

  /**
   * Reads at once what some handlers would read one by one. They are run without effect: what is not known is taken for
   * absent, and what they put is forgotten.
   *
   * @returns those for which something was read: with it, they may want more
   */
  async rehearse(handlers: readonly Handle[]): Promise<readonly Handle[]> {
    const { getMany } = this.#readModels;
    if (!getMany) return [];
    const wanted = new Map<Collection, Set<string>>();
    const wanting: Handle[] = [];
    this.#wanted = wanted;
    for (const handle of handlers) {
      const before = this.#wants;
      // One that fails on what is not there will be run in earnest, and tell.
      await handle().catch(() => undefined);
      if (this.#wants > before) wanting.push(handle);
    }
    this.#wanted = undefined;
    const read = async ([collection, ids]: readonly [Collection, ReadonlySet<string>]) => {
      const stored = new Map((await getMany(collection, [...ids])).map((each) => [each.id, each]));
      for (const id of ids) {
        const { doc = null, position = '' } = stored.get(id) ?? {};
        this.#cache.set(collection, id, { doc, position });
      }
    };
    await Promise.all([...wanted].map(read));
    return wanting;
  }

  /** Runs a handler; when it fails, what it has changed is undone. */
  async attempt(handle: () => Promise<void>): Promise<void> {
    const undo: (() => void)[] = (this.#undo = []);
    try {
      await handle();
    } catch (error) {
      for (const each of undo.reverse()) each();
      throw error;
    }
  }

  /** False when the document already holds the event that is being folded, and is left as it is. */
  put<Doc extends object>(collection: Collection<Doc>, id: string, doc: Doc): boolean {
    return this.#set(collection, id, doc);
  }

  /** False as with `put`. */
  remove<Doc extends object>(collection: Collection<Doc>, id: string): boolean {
    return this.#set(collection, id, null);
  }

  /** What has changed, in the order in which it must be stored; to be called again only when that is stored. */
  take(collections: readonly Collection[]): Write[] {
    const writes = collections.flatMap((collection) =>
      Array.from(
        this.#changed.get(collection)?.entries ?? [],
        ([id, { doc, position, partition, isNew = false }]) => ({
          collection,
          id,
          doc,
          position,
          partition,
          isNew,
        }),
      ),
    );
    this.#leaving = this.#changed;
    this.#changed = new Map();
    this.#size = 0;
    return writes;
  }

  /** To be called once what was taken is stored. */
  stored(): void {
    for (const [collection, { entries }] of this.#leaving)
      for (const [id, known] of entries) this.#cache.set(collection, id, known);
    this.#leaving.clear();
  }

  #set(collection: Collection, id: string, doc: object | null): boolean {
    if (this.#wanted) return true;
    const changes = this.#of(collection);
    const changed = changes.entries.get(id);
    const before = this.#known(collection, id);
    if (this.isGuarded && !changed && before && before.position >= this.position) return false;
    this.#undo.push(() => {
      changes.restore(id, changed);
      if (!changed) this.#size--;
    });
    const partition = doc ? undefined : partitionOf(collection, id, before);
    const isNew = changed?.isNew ?? this.#isNew(collection, id, before);
    changes.set(id, { doc, position: this.position, partition, isNew });
    if (!changed) this.#size++;
    if (doc && this.#absence) this.#learn(this.#absence, collection, id, doc);
    return true;
  }

  #isNew(collection: Collection, id: string, before: Known | undefined): boolean {
    return before ? before.position === '' : this.#absence?.isCertain(collection, 'id', id) === true;
  }

  /** What can be found later: the id, and the value of each column that an index begins with. */
  #learn(absence: Absence, collection: Collection, id: string, doc: object): void {
    absence.add(collection, 'id', id);
    for (const [column = ''] of collection.indexes) {
      const value = memberOf(doc, column);
      if (typeof value === 'string') absence.add(collection, column, value);
    }
  }

  #known(collection: Collection, id: string): Known | undefined {
    return (
      this.#changed.get(collection)?.entries.get(id) ??
      this.#leaving.get(collection)?.entries.get(id) ??
      this.#cache.get(collection, id)
    );
  }

  #remember<Doc extends object>(collection: Collection<Doc>, { id, doc, position }: Stored<Doc>): Doc {
    this.#cache.set(collection, id, { doc, position });
    return doc;
  }

  /** Lets others in: an embedded store answers at once, so a long fold would otherwise be one turn of the loop. */
  async #breathe(): Promise<void> {
    await setImmediate();
    this.#breathedAt = performance.now();
  }

  #of(collection: Collection): Changes {
    let changes = this.#changed.get(collection);
    if (!changes) this.#changed.set(collection, (changes = new Changes()));
    return changes;
  }
}

/** What a store gives, or a failure that says that it was the store. */
const fromStore = async <T>(answer: Promise<T>): Promise<T> => {
  try {
    return await answer;
  } catch (error) {
    throw new StoreFailure(error);
  }
};

/** Whether `Absence` learns of a column's values. */
const learns = ({ indexes }: Collection, column: string): boolean =>
  indexes.some(([first]) => first === column);

/** Of a document that is known; when it is deleted, of the one that was there. */
const partitionOf = (collection: Collection, id: string, known: Known | undefined): string | undefined => {
  if (collection.partition === 'id') return id;
  const value = known?.doc ? memberOf(known.doc, collection.partition) : known?.partition;
  return typeof value === 'string' ? value : undefined;
};
