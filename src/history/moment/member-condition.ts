import { eventDefinitions } from '../../domain/index.ts';
import { invalid } from '../../errors/domain-error.ts';
import { isObject, type Json, type JsonObject } from '../../schema/json.ts';
import { personalMarkOf } from '../../schema/schema.ts';
import { containsPersonalData } from './mask.ts';
import { valueAtPath, type MemberPath } from './member-paths.ts';

/** That a member of an event's data has a value. */
export interface MemberCondition {
  readonly path: MemberPath;
  /** The value of a text, number or truth value, as text; `null` for none. */
  readonly value: string;
}

/** The schemas on the way to a member, the outermost first; undefined where there is no such member. */
const schemasTo = (schema: unknown, path: MemberPath): readonly unknown[] | undefined => {
  const [name, ...rest] = path;
  if (name === undefined) return [schema];
  if (!isObject(schema)) return undefined;
  const { properties } = schema;
  if (!isObject(properties) || !Object.hasOwn(properties, name)) return undefined;
  const inner = schemasTo(properties[name], rest);
  return inner && [schema, ...inner];
};

/** Whether a member is personal, lies in one that is, or holds one. */
const tellsOfPerson = (way: readonly unknown[]): boolean =>
  way.some((schema) => isObject(schema) && personalMarkOf(schema) !== undefined) || containsPersonalData(way.at(-1));

/**
 * Reads a condition such as `data.postingId=p1`.
 *
 * @param isUnmasked whether personal members are shown: who is shown masks must not find values by trying them
 * @throws DomainError invalid for another form, for a member that no event has, and for a personal one
 */
export const parseWhere = (text: string, isUnmasked: boolean): MemberCondition => {
  const match = /^data\.([^=]+)=(.*)$/s.exec(text);
  // The text may hold a value that is personal.
  if (!match) throw invalid('A condition has another form; allowed: data.<member>=<value>');
  const [, names = '', value = ''] = match;
  const path = names.split('.');
  const found = eventDefinitions.flatMap(({ data }) => {
    const way = schemasTo(data, path);
    return way ? [way] : [];
  });
  if (found.length === 0) throw invalid(`No event has a member data.${names}; docs/events.md lists them`);
  if (!isUnmasked && found.some(tellsOfPerson))
    throw invalid(`data.${names} is a personal member; it can be searched by who asks for personal data alone`);
  return { path, value };
};

const asText = (value: Json | undefined): string | undefined =>
  value === undefined ? undefined : typeof value === 'string' ? value : JSON.stringify(value);

/** Whether a condition holds for an event's data. */
export const matchesCondition = (data: JsonObject, { path, value }: MemberCondition): boolean =>
  asText(valueAtPath(data, path)) === value;
