import type { Collection } from '../read-models/port.ts';

/** A document as its store has it; null where there is none. */
export interface Known {
  readonly doc: object | null;
  /** Where it was before it was deleted, if that is known. */
  readonly partition?: string | undefined;
  /** Of a changed document: none was stored. */
  readonly isNew?: boolean;
}

const MAX_REMEMBERED = 12_000;

/**
 * The documents that a projection has read or stored lately, and the ids under which it found none. A projection is
 * the only one that writes its documents, so what is remembered is what is stored.
 *
 * The least recently used half goes when there are too many: two maps are cheaper than an order of use.
 */
export class DocumentCache {
  #young = new Map<Collection, Map<string, Known>>();
  #old = new Map<Collection, Map<string, Known>>();
  #count = 0;

  get(collection: Collection, id: string): Known | undefined {
    const young = this.#young.get(collection)?.get(id);
    if (young) return young;
    const old = this.#old.get(collection)?.get(id);
    if (old) this.set(collection, id, old);
    return old;
  }

  set(collection: Collection, id: string, known: Known): void {
    if (this.#count >= MAX_REMEMBERED / 2) {
      this.#old = this.#young;
      this.#young = new Map();
      this.#count = 0;
    }
    let entries = this.#young.get(collection);
    if (!entries) this.#young.set(collection, (entries = new Map<string, Known>()));
    if (!entries.has(id)) this.#count++;
    entries.set(id, known);
  }
}
