import { Changes, memberOf } from '../changes.ts';
import type { Known } from '../document-cache.ts';
import type { Documents } from '../projection.ts';
import type { Collection, Write } from '../read-models/port.ts';

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
  readonly wasDirty: boolean;
}

/**
 * The documents of a projection that is built from nothing, group after group: those of the group at hand and those that all
 * groups share. All of them are in memory, so that nothing is ever asked of the store.
 */
export class GroupDocuments implements Documents {
  readonly #shared: ReadonlySet<Collection>;
  readonly #tables = new Map<Collection, Changes>();
  /** What has changed since it was last taken. */
  readonly #dirty = new Map<Collection, Set<string>>();
  #changes: Change[] = [];
  #renderings: Rendering[] = [];
  #size = 0;

  /** @param shared the collections that all groups share */
  constructor(shared: readonly Collection[]) {
    this.#shared = new Set(shared);
  }

  /** How many documents have changed since they were taken. */
  get size(): number {
    return this.#size;
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
  }

  /** What has changed, to be stored; the group's own documents are forgotten. To be called where a group ends. */
  take(): Write[] {
    const writes: Write[] = [];
    for (const [collection, ids] of this.#dirty) {
      const table = this.#tableOf(collection);
      for (const id of ids) {
        const { doc = null, isNew = false } = table.entries.get(id) ?? {};
        if (doc || !isNew) writes.push({ collection, id, doc, isNew });
        if (this.#shared.has(collection)) table.entries.set(id, { doc, isNew: false });
      }
      ids.clear();
    }
    for (const collection of this.#tables.keys())
      if (!this.#shared.has(collection)) this.#tables.delete(collection);
    this.#size = 0;
    return writes;
  }

  #set(collection: Collection, id: string, doc: object | null): void {
    const table = this.#tableOf(collection);
    const before = table.entries.get(id);
    let dirty = this.#dirty.get(collection);
    if (!dirty) this.#dirty.set(collection, (dirty = new Set()));
    this.#changes.push({ collection, id, before, wasDirty: dirty.has(id) });
    if (!dirty.has(id)) this.#size++;
    dirty.add(id);
    table.set(id, { doc, isNew: before?.isNew ?? true });
  }

  #undo(): void {
    for (const { collection, id, before, wasDirty } of this.#changes.reverse()) {
      this.#tableOf(collection).restore(id, before);
      if (wasDirty) continue;
      this.#dirty.get(collection)?.delete(id);
      this.#size--;
    }
    this.#changes = [];
  }

  #tableOf(collection: Collection): Changes {
    let table = this.#tables.get(collection);
    if (!table) this.#tables.set(collection, (table = new Changes()));
    return table;
  }
}
