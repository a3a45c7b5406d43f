import type { Collection } from '../read-models/port.ts';

/** A document as its store holds it; null where the store holds none. */
export interface CachedDocument {
  readonly doc: object | null;
  /** The partition of a deleted document, where that is known. */
  readonly partition?: string | undefined;
  /** Of a changed document: the store holds none. */
  readonly isNew?: boolean;
}

const MAX_CACHED = 12_000;

/**
 * The documents that a projection has lately read or stored, and ids under which there is none. They stay valid: only
 * this projection writes them. When full, the least recently used half goes: two maps cost less than an order of use.
 */
export class DocumentCache {
  #young = new Map<Collection, Map<string, CachedDocument>>();
  #old = new Map<Collection, Map<string, CachedDocument>>();
  #count = 0;

  get(collection: Collection, id: string): CachedDocument | undefined {
    const young = this.#young.get(collection)?.get(id);
    if (young) return young;
    const old = this.#old.get(collection)?.get(id);
    if (old) this.set(collection, id, old);
    return old;
  }

  set(collection: Collection, id: string, known: CachedDocument): void {
    if (this.#count >= MAX_CACHED / 2) {
      this.#old = this.#young;
      this.#young = new Map();
      this.#count = 0;
    }
    let entries = this.#young.get(collection);
    if (!entries) this.#young.set(collection, (entries = new Map<string, CachedDocument>()));
    if (!entries.has(id)) this.#count++;
    entries.set(id, known);
  }
}
