const refuse = (): never => {
  throw new TypeError('A frozen map was changed');
};

/** Freezes a value deeply, maps included: code that changes it throws. */
export const frozen = <T>(value: T): T => {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  if (value instanceof Map) {
    for (const member of value.values()) frozen(member);
    // Object.freeze does not reach the entries of a map.
    Object.assign(value, { set: refuse, delete: refuse, clear: refuse });
  }
  for (const member of Object.values(value) as unknown[]) frozen(member);
  return Object.freeze(value);
};
