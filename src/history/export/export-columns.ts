import { eventDefinitions } from '../../domain/index.ts';
import { invalid } from '../../errors/domain-error.ts';
import { columnsOfMembers, type MemberColumn } from '../warehouse/member-columns.ts';
import { quotedIdentifier, timeTextSql } from '../warehouse/duckdb.ts';
import type { TableColumn } from '../warehouse/sql-result.ts';

/** What the tables of all types of events have in common. */
export const commonColumns: readonly MemberColumn[] = [
  { name: 'position', type: 'VARCHAR' },
  { name: 'stream', type: 'VARCHAR' },
  { name: 'revision', type: 'BIGINT' },
  { name: 'id', type: 'VARCHAR' },
  { name: 'version', type: 'BIGINT' },
  { name: 'recorded_at', type: 'TIMESTAMP' },
  { name: 'actor', type: 'VARCHAR' },
  { name: 'request_id', type: 'VARCHAR' },
  { name: 'correlation_id', type: 'VARCHAR' },
];

/** The table of one type of events: the common columns, then one for each member of its newest version. */
export interface EventTable {
  readonly type: string;
  readonly columns: readonly MemberColumn[];
}

/** The tables of some types; of all when left out. */
export const eventTablesOf = (isMasked: boolean, types?: readonly string[]): readonly EventTable[] =>
  eventDefinitions
    .filter(({ type }) => types?.includes(type) ?? true)
    .map(({ type, data }) => ({ type, columns: [...commonColumns, ...columnsOfMembers(data, isMasked)] }));

/** Those of some columns that were chosen, in the order chosen; all where none were. */
export const chosenColumns = <Column extends { readonly name: string }>(
  columns: readonly Column[],
  chosen: readonly string[] | undefined,
): readonly Column[] => chosen?.flatMap((name) => columns.find((column) => column.name === name) ?? []) ?? columns;

/** @throws DomainError for a chosen column that none of the tables has */
export const refuseUnknownColumns = (
  tables: readonly { readonly columns: readonly { readonly name: string }[] }[],
  chosen: readonly string[] = [],
): void => {
  const names = [...new Set(tables.flatMap(({ columns }) => columns.map(({ name }) => name)))];
  for (const name of chosen)
    if (!names.includes(name)) throw invalid(`There is no column ${name}; there are ${names.join(', ')}`);
};

/** A column as CSV for people has it, in SQL: a quote before a text that a spreadsheet would run as a formula. */
const csvCellSql = ({ name, type }: TableColumn): string => {
  const column = quotedIdentifier(name);
  if (type.startsWith('TIMESTAMP')) return timeTextSql(column);
  if (type !== 'VARCHAR' && type !== 'JSON') return column;
  return `CASE WHEN left(${column}, 1) IN ('=', '+', '-', '@', chr(9), chr(13)) THEN '''' || ${column} ELSE ${column} END`;
};

/** Spreadsheets take CSV for UTF-8 where it begins so. */
const BOM = '\uFEFF';

/**
 * What COPY writes of a statement as CSV, and its options. Null is an empty cell, an empty text a quoted one.
 *
 * @param from a SELECT
 */
export const csvSelectAndOptions = (
  columns: readonly TableColumn[],
  from: string,
  hasBom: boolean,
): { readonly select: string; readonly options: string } => {
  const cells = columns.map((column, index) => {
    const heading = index === 0 && hasBom ? BOM + column.name : column.name;
    return `${csvCellSql(column)} AS ${quotedIdentifier(heading)}`;
  });
  return {
    select: `SELECT ${cells.join(', ')} FROM (${from})`,
    options: String.raw`FORMAT csv, HEADER true, NULLSTR '', NEW_LINE '\r\n'`,
  };
};
