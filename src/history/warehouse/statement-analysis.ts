import { eventDefinitions } from '../../domain/index.ts';
import { invalid } from '../../errors/domain-error.ts';
import { isObject } from '../../schema/json.ts';
import { rowSchemaOf } from '../moment/all-rows.ts';
import { containsPersonalData } from '../moment/mask.ts';
import { historyReadModels } from '../moment/history-read-models.ts';
import { duckDBMessageOf, FALLBACK_DUCKDB_MESSAGE } from './sql-result.ts';
import { literal, textOfQuery, type Database } from './duckdb.ts';
import { hasView, readModelSqlName, tableNames } from './schema.ts';

/** A read model that a statement names; plain data. */
export interface ReadModelReference {
  readonly readModel: string;
  /** As written: a position or a time; undefined: where the copy is. */
  readonly moment: string | undefined;
}

const byName = new Map(historyReadModels.map((readModel) => [readModelSqlName(readModel), readModel]));

/** All objects in a syntax tree. */
function* nodesIn(value: unknown): Generator<Readonly<Record<string, unknown>>> {
  if (Array.isArray(value)) for (const each of value as readonly unknown[]) yield* nodesIn(each);
  else if (isObject(value)) {
    yield value;
    for (const each of Object.values(value)) yield* nodesIn(each);
  }
}

const nameIn = (node: Readonly<Record<string, unknown>>, member: string): string => {
  const name = node[member];
  return typeof name === 'string' ? name.toLowerCase() : '';
};

/** The constant that a function is called with; undefined for anything else. */
const constantIn = ({ children }: Readonly<Record<string, unknown>>): string | undefined => {
  const [first, ...more] = Array.isArray(children) ? (children as readonly unknown[]) : [];
  if (more.length > 0 || !isObject(first) || first['class'] !== 'CONSTANT') return undefined;
  const value = isObject(first['value']) ? first['value']['value'] : undefined;
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
};

/** Functions that read what a text says, which nobody who reads the statement sees. */
const OPAQUE_FUNCTIONS: readonly string[] = ['query', 'query_table', 'json_execute_serialized_sql'];

const namesOfTables = new Map(tableNames.map((name) => [name.toLowerCase(), name]));

/** The tables and functions of the warehouse that are named. @throws DomainError for one that hides what is read */
const tablesIn = (tree: unknown): readonly string[] => {
  const names = [...nodesIn(tree)].flatMap((node) => {
    if (node['type'] === 'BASE_TABLE') return [nameIn(node, 'table_name')];
    const called = node['type'] === 'TABLE_FUNCTION' ? node['function'] : undefined;
    return isObject(called) ? [nameIn(called, 'function_name')] : [];
  });
  const opaque = names.find((name) => OPAQUE_FUNCTIONS.includes(name));
  if (opaque !== undefined) throw invalid(`${opaque} hides which tables are read; name them in the statement`);
  return [...new Set(names.flatMap((name) => namesOfTables.get(name) ?? []))].sort();
};

const namedIn = (tree: unknown): ReadModelReference[] =>
  [...nodesIn(tree)].flatMap((node): ReadModelReference[] => {
    if (node['type'] === 'BASE_TABLE') {
      const readModel = byName.get(nameIn(node, 'table_name'));
      return readModel && hasView(readModel) ? [{ readModel: readModel.name, moment: undefined }] : [];
    }
    const called = node['type'] === 'TABLE_FUNCTION' ? node['function'] : undefined;
    if (!isObject(called)) return [];
    const name = nameIn(called, 'function_name');
    const readModel = name.endsWith('_at') ? byName.get(name.slice(0, -'_at'.length)) : undefined;
    if (!readModel) return [];
    const moment = constantIn(called);
    if (moment === undefined) throw invalid(`${name} takes one text: a position, a day in UTC or a time with its zone`);
    return [{ readModel: readModel.name, moment }];
  });

/** The syntax tree of a statement. @throws DomainError for anything but one statement that reads */
const treeOf = async (database: Database, statement: string): Promise<unknown> => {
  const text = await textOfQuery(database, `SELECT json_serialize_sql(${literal(statement)})`);
  if (text === '') throw invalid(`The statement is not understood: ${FALLBACK_DUCKDB_MESSAGE}`);
  const tree: unknown = JSON.parse(text ?? 'null');
  if (!isObject(tree)) throw invalid('There is no statement');
  if (tree['error'] === true) throw await refusalOf(database, statement, String(tree['error_message']));
  const { statements } = tree;
  if (!Array.isArray(statements) || statements.length !== 1)
    throw invalid('There is more than one statement, or none; allowed is one SELECT at a time');
  return tree;
};

const refusalOf = async (database: Database, statement: string, message: string): Promise<Error> => {
  if (!/^Only SELECT/i.test(message)) {
    // Only parsed, for DuckDB to say where.
    const where = await database.connection.extractStatements(statement).then(
      () => message,
      (error: unknown) => duckDBMessageOf(error, 0).replace('Failed to extract statements: ', ''),
    );
    return invalid(`The statement is not understood: ${where}`);
  }
  return invalid(
    /(?:^|\()\s*PIVOT\b/i.test(statement)
      ? "A PIVOT without its values makes a type first, which is more than to read; allowed with them: PIVOT … ON type IN ('CandidateHired', 'CandidateRejected') …"
      : 'The statement does more than read; allowed is one SELECT (or FROM, WITH, VALUES, DESCRIBE, SUMMARIZE, SHOW)',
  );
};

/** Whether a node is a condition, of which `->>` can take no member. */
const isCondition = (node: unknown): boolean =>
  isObject(node) &&
  (['COMPARISON', 'CONJUNCTION', 'BETWEEN'].includes(String(node['class'])) || node['type'] === 'OPERATOR_NOT');

/** @throws DomainError where `->>` takes a member of a condition, as it does beside `=`: the answer would be wrong */
const refuseMembersOfConditions = (tree: unknown): void => {
  for (const { function_name: name, children } of nodesIn(tree)) {
    if (name !== '->>' || !Array.isArray(children)) continue;
    const [from, member] = children as readonly unknown[];
    if (!isCondition(from)) continue;
    const path = isObject(member) && isObject(member['value']) ? String(member['value']['value']) : '…';
    throw invalid(
      `->> takes a member of a whole condition here, since = and AND come before it; put it in parentheses: (data->>${literal(path)})`,
    );
  }
};

/** What a statement reads. */
interface StatementAnalysis {
  /** The tables and functions of the warehouse that it names. */
  readonly tables: readonly string[];
  readonly readModels: readonly ReadModelReference[];
}

/** Reads a statement without running it. @throws DomainError for anything but one statement that reads */
export const analyzeStatement = async (database: Database, statement: string): Promise<StatementAnalysis> => {
  const tree = await treeOf(database, statement);
  refuseMembersOfConditions(tree);
  return { tables: tablesIn(tree), readModels: namedIn(tree) };
};

/** The names of columns that are personal; DuckDB compares them without case. */
const personalNames: ReadonlyMap<string, string> = new Map(
  [...eventDefinitions.map(({ data }) => data), ...historyReadModels.map(rowSchemaOf)].flatMap(({ properties }) =>
    Object.entries(isObject(properties) ? properties : {}).flatMap(([name, schema]) =>
      containsPersonalData(schema) ? [[name.toLowerCase(), name] as const] : [],
    ),
  ),
);

/** Conditions: comparisons, IN, and the functions that LIKE and ILIKE are. */
const isComparison = ({ class: kind, type, function_name: name }: Readonly<Record<string, unknown>>): boolean =>
  kind === 'COMPARISON' || type === 'COMPARE_IN' || (typeof name === 'string' && /^!?~~\*?$/.test(name));

/** The columns of personal members that a statement compares with a text that is no mask. */
export const comparedPersonalColumns = async (database: Database, statement: string): Promise<readonly string[]> => {
  const tree = await treeOf(database, statement);
  const found = [...nodesIn(tree)].filter(isComparison).flatMap((condition) => {
    const within = [...nodesIn(condition)];
    const isWithText = within.some(
      ({ type, value }) => isObject(type) && typeof value === 'string' && !value.startsWith('masked-'),
    );
    const columns = within.flatMap(({ column_names: names }) => (Array.isArray(names) ? String(names.at(-1)) : []));
    return isWithText ? columns.flatMap((name) => personalNames.get(name.toLowerCase()) ?? []) : [];
  });
  return [...new Set(found)];
};
