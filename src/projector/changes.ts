import type { CachedDocument } from './document-cache.ts';
import type { Collection, Write } from '../read-models/port.ts';

/** The changed documents of one collection, by id and by the columns that were queried. */
export class Changes {
  readonly entries = new Map<string, CachedDocument>();
  readonly #byColumn = new Map<string, Map<unknown, Set<string>>>();

  set(id: string, known: CachedDocument): void {
    const before = this.entries.get(id);
    this.entries.set(id, known);
    for (const [column, ids] of this.#byColumn) {
      if (before?.doc) ids.get(memberOf(before.doc, column))?.delete(id);
      if (known.doc) add(ids, memberOf(known.doc, column), id);
    }
  }

  /** Makes an entry what it was before it was set. */
  restore(id: string, before: CachedDocument | undefined): void {
    if (before) {
      this.set(id, before);
      return;
    }
    const now = this.entries.get(id);
    this.entries.delete(id);
    for (const [column, ids] of this.#byColumn) if (now?.doc) ids.get(memberOf(now.doc, column))?.delete(id);
  }

  idsWith(column: string, value: string): Iterable<string> {
    let ids = this.#byColumn.get(column);
    if (!ids) {
      this.#byColumn.set(column, (ids = new Map<unknown, Set<string>>()));
      for (const [id, { doc }] of this.entries) if (doc) add(ids, memberOf(doc, column), id);
    }
    return ids.get(value) ?? [];
  }
}

export type ChangedDocuments = ReadonlyMap<Collection, Changes>;

/** The writes that store these changes. */
export const writesOf = (changed: ChangedDocuments): Write[] =>
  [...changed].flatMap(([collection, { entries }]) =>
    Array.from(entries, ([id, known]) => ({ collection, id, ...known })),
  );

/** A member of a document, by name. */
export const memberOf = (doc: object, name: string): unknown =>
  (doc as Readonly<Record<string, unknown>>)[name];

const add = (ids: Map<unknown, Set<string>>, value: unknown, id: string): void => {
  const others = ids.get(value);
  if (others) others.add(id);
  else ids.set(value, new Set([id]));
};
