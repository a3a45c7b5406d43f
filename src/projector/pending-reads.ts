import type { Collection } from '../read-models/port.ts';

interface Lookup {
  readonly key: string;
  readonly collection: Collection;
  readonly column: string;
  readonly value: string;
}

/** A key for each value of a column. */
export const lookupKey = ({ name }: Collection, column: string, value: string): string =>
  `${name} ${column} ${value}`;

/** What handlers have asked for and is not read yet: documents by id, ids by a column's value. */
export class PendingReads {
  #documents = new Map<Collection, Set<string>>();
  #lookups = new Map<string, Lookup>();
  /** How often something was asked for. */
  size = 0;

  document(collection: Collection, id: string): void {
    this.size++;
    const ids = this.#documents.get(collection);
    if (ids) ids.add(id);
    else this.#documents.set(collection, new Set([id]));
  }

  lookup(collection: Collection, column: string, value: string): void {
    this.size++;
    const key = lookupKey(collection, column, value);
    this.#lookups.set(key, { key, collection, column, value });
  }

  /** Takes all of it, and leaves nothing. */
  drain() {
    const documents = Array.from(this.#documents, ([collection, ids]) => ({ collection, ids: [...ids] }));
    const lookups = [...this.#lookups.values()];
    this.#documents = new Map();
    this.#lookups = new Map();
    this.size = 0;
    return { documents, lookups };
  }
}
