import { Map as ImmutableMap } from 'immutable';

/**
 * A map of which each change makes a new one, and which shares with it what did not change. Declared here, since the
 * compiler takes seconds to compare the types of `immutable`.
 */
export interface PersistentMap<K, V> {
  readonly size: number;
  has(key: K): boolean;
  values(): Iterable<V>;
  get(key: K): V | undefined;
  set(key: K, value: V): PersistentMap<K, V>;
  delete(key: K): PersistentMap<K, V>;
}

export const persistentMap = <K, V>(): PersistentMap<K, V> => ImmutableMap<K, V>();
