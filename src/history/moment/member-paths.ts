import { isDeepStrictEqual } from 'node:util';
import type { Json } from '../../schema/json.ts';

/** The names that lead to a member of a row, outermost first; none for the row as a whole. */
export type MemberPath = readonly string[];

/** A member whose value differs; undefined where there is none. */
interface MemberChange {
  readonly path: MemberPath;
  readonly from: Json | undefined;
  readonly to: Json | undefined;
}

type Members = Readonly<Record<string, Json>>;

const isMembers = (value: Json | undefined): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const memberOf = (value: Members, name: string): Json | undefined =>
  Object.hasOwn(value, name) ? value[name] : undefined;

/** The value of a member; undefined where there is none. */
export const valueAtPath = (value: Json | undefined, path: MemberPath): Json | undefined =>
  path.reduce<Json | undefined>((within, name) => (isMembers(within) ? memberOf(within, name) : undefined), value);

/** The members that differ between two values, as deep as both are objects; lists are compared as a whole. */
export const memberChangesBetween = (
  from: Json | undefined,
  to: Json | undefined,
  path: MemberPath = [],
): readonly MemberChange[] => {
  if (!isMembers(from) || !isMembers(to)) return isDeepStrictEqual(from, to) ? [] : [{ path, from, to }];
  const names = new Set([...Object.keys(from), ...Object.keys(to)]);
  return [...names].flatMap((name) => memberChangesBetween(memberOf(from, name), memberOf(to, name), [...path, name]));
};

/** The members in a value that are no objects, or empty ones. */
export const leavesOf = (value: Json, path: MemberPath = []): readonly (readonly [MemberPath, Json])[] =>
  isMembers(value) && Object.keys(value).length > 0
    ? Object.entries(value).flatMap(([name, each]) => leavesOf(each, [...path, name]))
    : [[path, value]];

const isWithin = (path: MemberPath, parent: MemberPath): boolean => parent.every((name, depth) => path[depth] === name);

/** For each member of a row, what has changed it last. */
export class LastChanges<By> {
  /** In the order of the changes. */
  #changes: { readonly path: MemberPath; readonly by: By }[] = [];

  note(path: MemberPath, by: By): void {
    // Of what is replaced as a whole, earlier changes say no more.
    this.#changes = this.#changes.filter((each) => !isWithin(each.path, path));
    this.#changes.push({ path, by });
  }

  /** What last changed a member: the member itself, what holds it, or a part of it. */
  of(path: MemberPath): By | undefined {
    return this.#changes.findLast((each) => isWithin(path, each.path) || isWithin(each.path, path))?.by;
  }

  /** What last made the row, or removed it. */
  get ofRow(): By | undefined {
    return this.#changes.find(({ path }) => path.length === 0)?.by;
  }
}
