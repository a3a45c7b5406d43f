import { memberOf } from './changes.ts';
import type { Collection } from './read-models/port.ts';

/** 2 MB of bits: about 1 of 100 answers is "perhaps" without need at 1.6 million keys. */
const BITS = 2 ** 24;
const PROBES = 4;

/**
 * Knows which values of which columns were never added (a Bloom filter: B. H. Bloom, Space/Time Trade-offs in Hash
 * Coding, 1970): asking it costs far less than asking a store for a document that is not there.
 */
export class Absence {
  readonly #bits = new Uint32Array(BITS / 32);
  readonly #kinds = new Map<object, Map<string, number>>();
  #kindCount = 0;

  add(collection: object, column: string, value: string): void {
    const hash = hashOf(this.#kindOf(collection, column), value);
    for (let probe = 0, place = hash, step = stepOf(hash); probe < PROBES; probe++, place += step) {
      const bit = place & (BITS - 1);
      this.#bits[bit >>> 5] = (this.#bits[bit >>> 5] ?? 0) | (1 << (bit & 31));
    }
  }

  /** What can be found later of a document: its id, and the value of each column that an index begins with. */
  learn(collection: Collection, id: string, doc: object): void {
    this.add(collection, 'id', id);
    for (const [column = ''] of collection.indexes) {
      const value = memberOf(doc, column);
      if (typeof value === 'string') this.add(collection, column, value);
    }
  }

  /** True: no document with the value was ever added. */
  isCertain(collection: Collection, column: string, value: string): boolean {
    if (column !== 'id' && collection.indexes.every(([first]) => first !== column)) return false;
    const hash = hashOf(this.#kindOf(collection, column), value);
    for (let probe = 0, place = hash, step = stepOf(hash); probe < PROBES; probe++, place += step) {
      const bit = place & (BITS - 1);
      if (((this.#bits[bit >>> 5] ?? 0) & (1 << (bit & 31))) === 0) return true;
    }
    return false;
  }

  /** A number for each column, which its hashes begin with. */
  #kindOf(collection: object, column: string): number {
    let kinds = this.#kinds.get(collection);
    if (!kinds) this.#kinds.set(collection, (kinds = new Map<string, number>()));
    let kind = kinds.get(column);
    if (kind === undefined) kinds.set(column, (kind = ++this.#kindCount));
    return kind;
  }
}

/** FNV-1a (Fowler, Noll, Vo), with the last bits mixed as in MurmurHash3. */
const hashOf = (kind: number, key: string): number => {
  let hash = Math.imul(0x811c9dc5 ^ kind, 0x01000193);
  for (let index = 0; index < key.length; index++) hash = Math.imul(hash ^ key.charCodeAt(index), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  return (hash ^ (hash >>> 13)) >>> 0;
};

/** Odd, so that the probes of a key differ. */
const stepOf = (hash: number): number => (Math.imul(hash, 0x9e3779b1) >>> 8) | 1;
