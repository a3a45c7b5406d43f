import { invalid } from '../../errors/domain-error.ts';
import { isObject } from '../../schema/json.ts';
import { shownReadModels, type ShownReadModel } from '../moment/shown.ts';
import { literal, textOfQuery, type Database } from './duckdb.ts';
import { hasView, sqlNameOf } from './schema.ts';

export interface NamedReadModel {
  readonly readModel: ShownReadModel;
  /** As written: a position or a time; undefined: where the copy is. */
  readonly moment: string | undefined;
}

const byName = new Map(shownReadModels.map((readModel) => [sqlNameOf(readModel), readModel]));

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

const namedIn = (tree: unknown): NamedReadModel[] =>
  [...nodesIn(tree)].flatMap((node): NamedReadModel[] => {
    if (node['type'] === 'BASE_TABLE') {
      const readModel = byName.get(nameIn(node, 'table_name'));
      return readModel && hasView(readModel) ? [{ readModel, moment: undefined }] : [];
    }
    const called = node['type'] === 'TABLE_FUNCTION' ? node['function'] : undefined;
    if (!isObject(called)) return [];
    const name = nameIn(called, 'function_name');
    const readModel = name.endsWith('_at') ? byName.get(name.slice(0, -'_at'.length)) : undefined;
    if (!readModel) return [];
    const moment = constantIn(called);
    if (moment === undefined)
      throw invalid(`${name} takes one text: a position, a day in UTC or a time with its zone`);
    return [{ readModel, moment }];
  });

/**
 * Reads a statement without running it.
 *
 * @returns the read models that it names
 * @throws DomainError for anything but one statement that reads
 */
export const readStatement = async (
  database: Database,
  statement: string,
): Promise<readonly NamedReadModel[]> => {
  const text = await textOfQuery(database, `SELECT json_serialize_sql(${literal(statement)})`);
  const tree: unknown = JSON.parse(text ?? 'null');
  if (!isObject(tree)) throw invalid('There is no statement');
  if (tree['error'] === true) {
    const message = String(tree['error_message']);
    throw invalid(
      /^Only SELECT/i.test(message)
        ? 'The statement does more than read; allowed is one SELECT (or FROM, WITH, VALUES, DESCRIBE, SUMMARIZE, SHOW)'
        : `The statement is not understood: ${message}`,
    );
  }
  const { statements } = tree;
  if (!Array.isArray(statements) || statements.length !== 1)
    throw invalid('There is more than one statement, or none; allowed is one SELECT at a time');
  return namedIn(tree);
};
