import type { Collection, DocumentWrite } from '../read-models/port.ts';
import type { ProjectionDocuments } from './projection.ts';

/** A document as its store holds it, or is to hold it; `doc` is null where there is none. */
export type KnownDocument = Pick<DocumentWrite, 'doc' | 'partition' | 'isNew'>;

/** A column's value; columns are named by this code, never by a client. */
const valueOf = (doc: object, column: string): unknown => (doc as Readonly<Record<string, unknown>>)[column];

/** The changed documents of one collection, by id and by the columns that were queried. */
class ChangedDocuments {
  readonly documents = new Map<string, KnownDocument>();
  readonly #byColumn = new Map<string, Map<unknown, Set<string>>>();

  /** Returns what was there. @param after undefined: it is as if never set */
  set(id: string, after: KnownDocument | undefined): KnownDocument | undefined {
    const before = this.documents.get(id);
    if (after) this.documents.set(id, after);
    else this.documents.delete(id);
    for (const [column, ids] of this.#byColumn) {
      if (before?.doc) ids.get(valueOf(before.doc, column))?.delete(id);
      if (after?.doc) addUnderKey(ids, valueOf(after.doc, column), id);
    }
    return before;
  }

  idsWith(column: string, value: string): Iterable<string> {
    let ids = this.#byColumn.get(column);
    if (!ids) {
      this.#byColumn.set(column, (ids = new Map<unknown, Set<string>>()));
      for (const [id, { doc }] of this.documents) if (doc) addUnderKey(ids, valueOf(doc, column), id);
    }
    return ids.get(value) ?? [];
  }
}

/** Adds an id to those under a key, of which it may be the first. */
export const addUnderKey = <Key>(ids: Map<Key, Set<string>>, key: Key, id: string): void => {
  const others = ids.get(key);
  if (others) others.add(id);
  else ids.set(key, new Set([id]));
};

/** A change by the running handler. */
export interface JournaledChange {
  readonly collection: Collection;
  readonly id: string;
  /** The change before it; undefined where there was none. */
  readonly before: KnownDocument | undefined;
}

/** Documents that handlers have changed; what the running handler changes can be undone. */
export class PendingChanges {
  readonly #tables = new Map<Collection, ChangedDocuments>();
  #journal: JournaledChange[] = [];

  /** How many documents have changed in some collections, by default in all. */
  sizeOf(isCounted: (collection: Collection) => boolean = () => true): number {
    let size = 0;
    for (const [collection, { documents }] of this.#tables) if (isCounted(collection)) size += documents.size;
    return size;
  }

  /** What was set since `begin`, in order. */
  get journal(): readonly JournaledChange[] {
    return this.#journal;
  }

  /** To be called before a handler runs. */
  begin(): void {
    this.#journal = [];
  }

  /** Takes back what was set since `begin`, but for the first ones. */
  undo(kept = 0): void {
    for (const { collection, id, before } of this.#journal.splice(kept).reverse())
      this.#tableOf(collection).set(id, before);
  }

  get(collection: Collection, id: string): KnownDocument | undefined {
    return this.#tables.get(collection)?.documents.get(id);
  }

  set(collection: Collection, id: string, after: KnownDocument): void {
    const before = this.#tableOf(collection).set(id, after);
    this.#journal.push({ collection, id, before });
  }

  /** Forgets changes that are stored: they cannot be undone any more. */
  drop(stored: Iterable<Pick<DocumentWrite, 'collection' | 'id'>>, journaled: number): void {
    for (const { collection, id } of stored) this.#tableOf(collection).set(id, undefined);
    this.#journal.length = journaled;
  }

  idsWith(collection: Collection, column: string, value: string): Iterable<string> {
    return this.#tables.get(collection)?.idsWith(column, value) ?? [];
  }

  writes(isWanted: (collection: Collection) => boolean = () => true): DocumentWrite[] {
    return [...this.#tables].flatMap(([collection, { documents }]) =>
      isWanted(collection)
        ? Array.from(documents, ([id, { doc, partition, isNew = false }]) => ({
            collection,
            id,
            doc,
            partition,
            isNew,
          }))
        : [],
    );
  }

  /** Gives the changes of some collections, and forgets them: they cannot be undone any more. */
  take(isTaken: (collection: Collection) => boolean): DocumentWrite[] {
    const writes = this.writes(isTaken);
    for (const collection of this.#tables.keys()) if (isTaken(collection)) this.#tables.delete(collection);
    this.begin();
    return writes;
  }

  #tableOf(collection: Collection): ChangedDocuments {
    let table = this.#tables.get(collection);
    if (!table) this.#tables.set(collection, (table = new ChangedDocuments()));
    return table;
  }
}

/** What a handler does for each document whose column has a value. */
export interface DeferredDocumentUpdate {
  readonly collection: Collection;
  readonly column: string;
  readonly value: string;
  readonly act: (id: string, doc: object) => void;
}

/** Renders documents, but none that has lost the value. */
export const runDeferredUpdate = (
  { collection, column, value, act }: DeferredDocumentUpdate,
  ids: Iterable<string>,
  documents: Pick<ProjectionDocuments, 'get'>,
): void => {
  for (const id of ids) {
    const doc = documents.get(collection, id);
    if (doc && valueOf(doc, column) === value) act(id, doc);
  }
};
