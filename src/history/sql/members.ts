import type { MemberColumn } from '../tables/columns.ts';
import { literal, quoted } from '../tables/duckdb.ts';

/** SQL that parses a column of JSON once, into a struct named `members`. */
export const parsedMembers = (columns: readonly MemberColumn[], json: string): string => {
  const structure = JSON.stringify(Object.fromEntries(columns.map(({ name, type }) => [name, type])));
  return `json_transform(${json}, ${literal(structure)}) AS members`;
};

/** SQL that selects the members of that struct. */
export const selectedMembers = (columns: readonly MemberColumn[]): readonly string[] =>
  columns.map(({ name }) => `members.${quoted(name)} AS ${quoted(name)}`);
