import { addTo, type Change } from './changes.ts';
import { MemoryDocuments } from './memory-documents.ts';
import { rowsOf } from '../read-models/columns.ts';
import type { Collection, NewDocuments, StoredText, Value } from '../read-models/port.ts';

/** A shared collection's document, as text: cheap to pass to another thread. */
export interface SharedDocument {
  /** The collection's name. */
  readonly collection: string;
  readonly id: string;
  /** JSON; null where it is deleted. */
  readonly text: string | null;
  /** Whether the store holds none under this id. */
  readonly isNew: boolean;
}

/** Rows of groups that have ended, one after another. */
interface Finished {
  readonly toRow: ReturnType<typeof rowsOf>;
  count: number;
  values: Value[];
}

/** The documents of a projection that is built from nothing: of the current group, and those that all groups share. */
export class GroupDocuments extends MemoryDocuments {
  readonly #shared: ReadonlySet<Collection>;
  /** Of groups that have ended, until they are taken. */
  readonly #finished = new Map<Collection, Finished>();
  /** In shared collections, what has changed since it was taken. */
  readonly #dirty = new Map<Collection, Set<string>>();

  constructor(shared: readonly Collection[]) {
    super();
    this.#shared = new Set(shared);
  }

  /** Changed documents of shared collections that wait to be taken. */
  get sharedSize(): number {
    let size = 0;
    for (const ids of this.#dirty.values()) size += ids.size;
    return size;
  }

  /** Adds shared documents that the build had stored before it was interrupted. */
  restore(collection: Collection, documents: readonly StoredText[]): void {
    this.documents.begin();
    for (const { id, text } of documents)
      this.documents.set(collection, id, { doc: JSON.parse(text) as object, isNew: false });
  }

  override handle(handle: () => void): readonly Change[] {
    const changes = super.handle(handle);
    for (const { collection, id } of changes)
      if (this.#shared.has(collection)) addTo(this.#dirty, collection, id);
    return changes;
  }

  /** To be called where a group ends: its own documents are complete. */
  endGroup(): void {
    for (const [collection, documents] of this.documents.takeAllBut(this.#shared)) {
      const finished = this.#finishedOf(collection);
      for (const [id, { doc }] of documents)
        if (doc) {
          finished.values.push(...finished.toRow({ id, doc }));
          finished.count++;
        }
    }
  }

  /** Takes the documents of groups that have ended. */
  takeOwn(): NewDocuments[] {
    const taken: NewDocuments[] = [];
    for (const [{ name }, finished] of this.#finished) {
      const { count, values } = finished;
      if (count > 0) taken.push({ collection: name, count, values });
      [finished.count, finished.values] = [0, []];
    }
    return taken;
  }

  /** Takes what has changed in shared collections since the last time. */
  takeShared(): SharedDocument[] {
    const taken: SharedDocument[] = [];
    this.documents.begin();
    for (const [collection, ids] of this.#dirty)
      for (const id of ids) {
        const { doc = null, isNew = false } = this.documents.get(collection, id) ?? {};
        const text = doc && JSON.stringify(doc);
        if (text !== null || !isNew) taken.push({ collection: collection.name, id, text, isNew });
        this.documents.set(collection, id, { doc, isNew: doc === null });
      }
    this.#dirty.clear();
    return taken;
  }

  #finishedOf(collection: Collection): Finished {
    let finished = this.#finished.get(collection);
    if (!finished)
      this.#finished.set(collection, (finished = { toRow: rowsOf(collection), count: 0, values: [] }));
    return finished;
  }
}
