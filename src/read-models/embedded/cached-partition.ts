import type { StoredDocument, ValidityFlag } from '../port.ts';
import { comparer, matcher, type AnyFilter, type AnyOrder } from '../in-memory-query.ts';

/** The documents of a partition that match a filter, kept in order. */
interface View {
  readonly matches: (stored: StoredDocument<object>) => boolean;
  readonly compare: (a: StoredDocument<object>, b: StoredDocument<object>) => number;
  readonly found: StoredDocument<object>[];
}

/** Enough for a list in all its orders and tabs; the least recently used one goes first. */
const MAX_VIEWS = 40;

/** Makes validities; `current` returns the same one until `expire` is called. */
export const createCacheInvalidator = () => {
  let last: { isCurrent: boolean } | undefined;
  return {
    current: (): ValidityFlag => (last ??= { isCurrent: true }),
    expire(): void {
      if (last) last.isCurrent = false;
      last = undefined;
    },
  };
};

/** All documents of one partition, in views that stay filtered and sorted when a document changes. */
export class CachedPartition {
  readonly #stored = new Map<string, StoredDocument<object>>();
  readonly #views = new Map<string, View>();
  readonly #validities = createCacheInvalidator();

  constructor(documents: readonly StoredDocument<object>[]) {
    for (const stored of documents) this.#stored.set(stored.id, stored);
  }

  get size(): number {
    return this.#stored.size;
  }

  /** Of what is read now: current until a document changes, or the partition is dropped. */
  get validity(): ValidityFlag {
    return this.#validities.current();
  }

  /** To be called when the partition is no longer told of changes. */
  leave(): void {
    this.#validities.expire();
  }

  get(id: string): StoredDocument<object> | undefined {
    return this.#stored.get(id);
  }

  /** The matching documents in order, and by id where the order leaves them equal. */
  find(filter: AnyFilter, order: AnyOrder): readonly StoredDocument<object>[] {
    const key = JSON.stringify([filter, order]);
    const view = this.#views.get(key) ?? this.#look(filter, order);
    this.#views.delete(key);
    this.#views.set(key, view);
    if (this.#views.size > MAX_VIEWS) this.#views.delete(this.#views.keys().next().value ?? '');
    return view.found;
  }

  /** Takes a document's new state; undefined when it has left the partition. */
  set(id: string, after: StoredDocument<object> | undefined): void {
    this.#validities.expire();
    const before = this.#stored.get(id);
    if (after) this.#stored.set(id, after);
    else this.#stored.delete(id);
    for (const { matches, compare, found } of this.#views.values()) {
      if (before && matches(before)) found.splice(sortedIndexOf(found, before, compare), 1);
      if (after && matches(after)) found.splice(sortedIndexOf(found, after, compare), 0, after);
    }
  }

  #look(filter: AnyFilter, order: AnyOrder): View {
    const matches = matcher(filter);
    const compare = comparer([...order, ['id', 'ascending']]);
    return { matches, compare, found: [...this.#stored.values()].filter(matches).sort(compare) };
  }
}

/** The index where a document is, or belongs, in a sorted list. */
const sortedIndexOf = (
  sorted: readonly StoredDocument<object>[],
  wanted: StoredDocument<object>,
  compare: View['compare'],
): number => {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const stored = sorted[middle];
    if (stored && compare(stored, wanted) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
};
