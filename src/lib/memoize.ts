/** The function, which makes what it makes of an object once; it must always make the same. */
export const remembered = <Key extends object, Value>(make: (key: Key) => Value): ((key: Key) => Value) => {
  const known = new WeakMap<Key, { readonly value: Value }>();
  return (key) => {
    let entry = known.get(key);
    if (!entry) known.set(key, (entry = { value: make(key) }));
    return entry.value;
  };
};
