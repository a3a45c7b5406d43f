import { Changes, memberOf } from '../changes.ts';
import type { Known } from '../document-cache.ts';
import type { Documents, Projection } from '../projection.ts';
import {
  AlreadyThere,
  type Collection,
  type ReadModelStore,
  type StoredText,
  type Write,
} from '../read-models/port.ts';

/** What a handler wants done for each document whose column has a value. */
interface Rendering {
  readonly collection: Collection;
  readonly column: string;
  readonly value: string;
  readonly act: (id: string, doc: object) => void;
}

/** A change by the handler that runs. */
interface Change {
  readonly collection: Collection;
  readonly id: string;
  readonly before: Known | undefined;
}

/**
 * The documents of a projection that is built from nothing, group after group: those of the group at hand and those that all
 * groups share. All of them are in memory, so that nothing is ever asked of the store.
 */
export class GroupDocuments implements Documents {
  readonly #shared: ReadonlySet<Collection>;
  /** Of the group at hand, and of shared collections. */
  readonly #tables = new Map<Collection, Changes>();
  /** Of groups that are over, until they are taken. */
  readonly #finished = new Map<Collection, Map<string, object>>();
  /** In shared collections, what has changed since it was taken. */
  readonly #dirty = new Map<Collection, Set<string>>();
  #changes: Change[] = [];
  #renderings: Rendering[] = [];

  /** @param shared the collections that all groups share */
  constructor(shared: readonly Collection[]) {
    this.#shared = new Set(shared);
  }

  /** How many documents wait to be taken. */
  get size(): number {
    let size = 0;
    for (const waiting of [...this.#finished.values(), ...this.#dirty.values()]) size += waiting.size;
    return size;
  }

  /** Takes in a document of a shared collection that an earlier part of the build has stored. */
  restore(collection: Collection, id: string, doc: object): void {
    this.#tableOf(collection).set(id, { doc, isNew: false });
  }

  get<Doc extends object>(collection: Collection<Doc>, id: string): Doc | undefined {
    // What a collection holds was put as its documents.
    return (this.#tables.get(collection)?.entries.get(id)?.doc ?? undefined) as Doc | undefined;
  }

  ids(collection: Collection, column: string, value: string): readonly string[] {
    return [...(this.#tables.get(collection)?.idsWith(column, value) ?? [])];
  }

  each<Doc extends object>(
    collection: Collection<Doc>,
    column: keyof Doc & string,
    value: string,
    act: (id: string, doc: Doc) => void,
  ): void {
    // What a collection holds was put as its documents.
    this.#renderings.push({ collection, column, value, act: act as Rendering['act'] });
  }

  put<Doc extends object>(collection: Collection<Doc>, id: string, doc: Doc): void {
    this.#set(collection, id, doc);
  }

  remove(collection: Collection, id: string): void {
    this.#set(collection, id, null);
  }

  /** Runs a handler, and what it wants done for each of some documents. When it fails, it has changed nothing. */
  attempt(handle: () => void): void {
    this.#changes = [];
    this.#renderings = [];
    try {
      handle();
      for (const { collection, column, value, act } of this.#renderings)
        for (const id of this.ids(collection, column, value)) {
          const doc = this.get(collection, id);
          if (doc && memberOf(doc, column) === value) act(id, doc);
        }
    } catch (error) {
      this.#undo();
      throw error;
    }
    for (const { collection, id } of this.#changes)
      if (this.#shared.has(collection)) this.#soil(collection, id);
  }

  /**
   * To be called where a group ends: its own documents are complete.
   *
   * @throws AlreadyThere where an earlier group has made one of them
   */
  endGroup(): void {
    for (const [collection, { entries }] of this.#tables) {
      if (this.#shared.has(collection)) continue;
      const finished = this.#finishedOf(collection);
      for (const [id, { doc }] of entries) {
        if (finished.has(id)) throw new AlreadyThere(`${collection.name} ${id}`);
        if (doc) finished.set(id, doc);
      }
      this.#tables.delete(collection);
    }
  }

  /** What is to be stored of the groups that are over, and what they have changed in shared collections. */
  take(): Write[] {
    const writes: Write[] = [];
    for (const [collection, finished] of this.#finished)
      for (const [id, doc] of finished) writes.push({ collection, id, doc, isNew: true });
    this.#finished.clear();
    for (const [collection, ids] of this.#dirty) {
      const table = this.#tableOf(collection);
      for (const id of ids) {
        const { doc = null, isNew = false } = table.entries.get(id) ?? {};
        if (doc || !isNew) writes.push({ collection, id, doc, isNew });
        table.set(id, { doc, isNew: doc === null });
      }
    }
    this.#dirty.clear();
    return writes;
  }

  #set(collection: Collection, id: string, doc: object | null): void {
    const table = this.#tableOf(collection);
    const before = table.entries.get(id);
    this.#changes.push({ collection, id, before });
    table.set(id, { doc, isNew: before?.isNew ?? true });
  }

  #undo(): void {
    for (const { collection, id, before } of this.#changes.reverse())
      this.#tableOf(collection).restore(id, before);
  }

  #soil(collection: Collection, id: string): void {
    const ids = this.#dirty.get(collection);
    if (ids) ids.add(id);
    else this.#dirty.set(collection, new Set([id]));
  }

  #finishedOf(collection: Collection): Map<string, object> {
    let finished = this.#finished.get(collection);
    if (!finished) this.#finished.set(collection, (finished = new Map<string, object>()));
    return finished;
  }

  #tableOf(collection: Collection): Changes {
    let table = this.#tables.get(collection);
    if (!table) this.#tables.set(collection, (table = new Changes()));
    return table;
  }
}

/** Read at once. */
const PAGE = 1_000;

/**
 * What the groups of a build begin with.
 *
 * @param isBegun whether some groups are stored already, with what they have changed in shared collections
 */
export const beginGroups = async (
  readModels: Pick<ReadModelStore, 'scan'>,
  { grouping }: Pick<Projection, 'grouping'>,
  isBegun: boolean,
): Promise<GroupDocuments> => {
  const { shared = [] } = grouping ?? {};
  const documents = new GroupDocuments(shared);
  if (!isBegun) return documents;
  for (const collection of shared)
    for (let after: string | undefined = ''; after !== undefined;) {
      const page: readonly StoredText[] = await readModels.scan(collection, after, PAGE);
      for (const { id, text } of page) documents.restore(collection, id, JSON.parse(text) as object);
      after = page.at(-1)?.id;
    }
  return documents;
};
