import { invalid } from '../../errors/domain-error.ts';
import { errorMessageOf } from '../../lib/error.ts';
import { isObject } from '../../schema/json.ts';
import type { MemberColumn } from '../warehouse/member-columns.ts';
import type { AppendedValue } from '../warehouse/duckdb.ts';
import type { RowTexts } from './rows.ts';

type ColumnKind = MemberColumn['type'];
type RowMembers = Readonly<Record<string, unknown>>;

export interface ReplayResultTable {
  readonly columns: readonly MemberColumn[];
  /** As a `RowTable` has them. @throws DomainError */
  readonly rows: AsyncIterable<readonly AppendedValue[]>;
}

/** Rows that columns are taken from, where none are declared: they are in memory meanwhile. */
export const MAX_ROWS_LOOKED_AT = 10_000;

const membersIn = (text: string): RowMembers => {
  const row: unknown = JSON.parse(text);
  return isObject(row) ? row : {};
};

const kindOf = (value: unknown): ColumnKind => {
  if (typeof value === 'string') return 'VARCHAR';
  if (typeof value === 'boolean') return 'BOOLEAN';
  if (typeof value !== 'number') return 'JSON';
  return Number.isSafeInteger(value) ? 'BIGINT' : 'DOUBLE';
};

/** The column that holds what two columns hold. */
const widened = (one: ColumnKind | undefined, other: ColumnKind): ColumnKind => {
  if (one === undefined || one === other) return other;
  const areNumbers = [one, other].every((kind) => kind === 'BIGINT' || kind === 'DOUBLE');
  return areNumbers ? 'DOUBLE' : 'JSON';
};

/** The members of rows, in the order in which they are first seen. A text stays a text, whatever it looks like. */
const columnsIn = (rows: readonly RowMembers[]): readonly MemberColumn[] => {
  const kinds = new Map<string, ColumnKind | undefined>();
  for (const row of rows)
    for (const [name, value] of Object.entries(row)) {
      const before = kinds.get(name);
      kinds.set(name, value === null ? before : widened(before, kindOf(value)));
    }
  return [...kinds].map(([name, type = 'VARCHAR']) => ({ name, type }));
};

/** A value as its column takes it; undefined where it does not. */
const valueFor = (type: ColumnKind, value: unknown): AppendedValue | undefined => {
  if (value === undefined || value === null) return null;
  switch (type) {
    case 'JSON':
      return JSON.stringify(value);
    case 'VARCHAR':
      return typeof value === 'string' ? value : undefined;
    case 'BOOLEAN':
      return typeof value === 'boolean' ? value : undefined;
    case 'DOUBLE':
      return typeof value === 'number' ? value : undefined;
    case 'BIGINT':
      return typeof value === 'number' && Number.isSafeInteger(value) ? value : undefined;
    case 'TIMESTAMP': {
      const time = typeof value === 'string' ? Date.parse(value) : NaN;
      return Number.isNaN(time) ? undefined : time;
    }
  }
};

/** The values of a row for each column. @throws Error where one has no column, or does not fit it */
const valuesOf = (row: RowMembers, columns: readonly MemberColumn[]): readonly AppendedValue[] => {
  const isOfColumn = (name: string) => columns.some((column) => column.name === name);
  const other = Object.keys(row).find((name) => !isOfColumn(name));
  if (other !== undefined) throw new Error(`its member ${other} has no column`);
  return columns.map(({ name, type }) => {
    const value = valueFor(type, row[name]);
    if (value === undefined) throw new Error(`its member ${name} is no value of a column of ${type}`);
    return value;
  });
};

/** Gives rows columns: those that are declared in the projection's file, or those that the first rows show. */
export const createReplayResultTable = async (
  file: string,
  texts: RowTexts,
  declared: readonly MemberColumn[] | undefined,
): Promise<ReplayResultTable> => {
  const first: RowMembers[] = [];
  while (!declared && first.length < MAX_ROWS_LOOKED_AT) {
    const { done, value } = await texts.next();
    if (done === true) break;
    first.push(membersIn(value));
  }
  const columns = declared ?? columnsIn(first);
  let number = 0;
  const valuesOrRefusal = (row: RowMembers) => {
    number++;
    try {
      return valuesOf(row, columns);
    } catch (error) {
      throw invalid(`${file}: row ${number} does not fit: ${errorMessageOf(error)}; declare columns in the file`);
    }
  };
  async function* rows(): AsyncGenerator<readonly AppendedValue[], void, undefined> {
    for (const row of first.splice(0)) yield valuesOrRefusal(row);
    for await (const text of texts) yield valuesOrRefusal(membersIn(text));
  }
  return { columns, rows: rows() };
};
