import { compareByCodePoint } from '../lib/compare-by-code-point.ts';
import { columnValueOf } from './columns.ts';
import type { Condition, StoredDocument } from './port.ts';

/** Filters and orders over documents in memory, with the same meaning as in SQL. */

/**
 * Full case folding (Unicode, 5.18) of composed text, whatever the language; also without the dot that it leaves of the
 * capital `İ`. Lower, upper and lower case in turn folds every letter but the dotless `ı`, which would become `i`.
 */
export const foldCase = (text: string): string => {
  if (/^[\0-\x7f]*$/.test(text)) return text.toLowerCase();
  const lowered = (part: string) => part.toLowerCase().toUpperCase().toLowerCase();
  const folded = text.normalize('NFC').replace(/[^ı]+/g, lowered).replaceAll('ς', 'σ');
  return folded.replaceAll('i\u0307', 'i').normalize('NFC');
};

const rankOf = (value: unknown): number =>
  typeof value === 'string' ? 2 : typeof value === 'number' || typeof value === 'boolean' ? 1 : 0;

/** Null, then numbers, then texts by code point. */
const compare = (a: unknown, b: unknown): number => {
  if (typeof a === 'string' && typeof b === 'string') return a === b ? 0 : compareByCodePoint(a, b);
  const [rankA, rankB] = [rankOf(a), rankOf(b)];
  return rankA === rankB && rankA === 1 ? Number(a) - Number(b) : rankA - rankB;
};

const tester = (condition: Condition): ((value: unknown) => boolean) => {
  if (typeof condition !== 'object') return (value) => value === condition;
  if ('in' in condition) return (value) => condition.in.some((each) => each === value);
  const text = foldCase(condition.contains);
  return (value) => typeof value === 'string' && foldCase(value).includes(text);
};

export type AnyFilter = Readonly<Record<string, Condition | undefined>>;
export type AnyOrder = readonly (readonly [column: string, direction: 'ascending' | 'descending'])[];

/** The conditions of a filter, by column. */
export const conditionsOf = (filter: AnyFilter): (readonly [column: string, condition: Condition])[] =>
  Object.entries(filter).flatMap(([name, condition]) => (condition === undefined ? [] : [[name, condition] as const]));

export const matcher = (filter: AnyFilter): ((stored: StoredDocument<object>) => boolean) => {
  const conditions = conditionsOf(filter).map(([name, condition]) => [name, tester(condition)] as const);
  return (stored) => conditions.every(([name, meets]) => meets(columnValueOf(stored, name)));
};

/** Compares by an order's columns; 0 where they are equal. */
export const comparer = (order: AnyOrder): ((a: StoredDocument<object>, b: StoredDocument<object>) => number) => {
  const terms = order.map(([name, direction]) => [name, direction === 'ascending' ? 1 : -1] as const);
  return (a, b) => {
    for (const [name, sign] of terms) {
      const difference = compare(columnValueOf(a, name), columnValueOf(b, name));
      if (difference !== 0) return sign * difference;
    }
    return 0;
  };
};
