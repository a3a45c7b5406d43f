import { isObject } from '../../src/schema/json.ts';

/** The same JSON value, the members of every object in reverse order. */
export const inOtherOrder = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(inOtherOrder);
  if (!isObject(value)) return value;
  const members = Object.entries(value).map(([name, member]) => [name, inOtherOrder(member)] as const);
  return Object.fromEntries(members.reverse());
};
