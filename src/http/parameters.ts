import type { TObject, TSchema } from '../schema/typebox.ts';
import { invalid, invalidAt } from '../errors/domain-error.ts';
import { hasType, withoutNulls } from '../schema/body.ts';
import { createValidator, type Validator } from '../schema/validation.ts';
import type { RouteContext } from './edge/context.ts';
import { readJson } from './edge/request-body.ts';

/** The value, checked. @throws DomainError that says what is wrong where */
export const requireValid = <T>(check: Validator<T>, value: unknown): T => {
  const checked = check(value);
  if (!checked.ok) throw invalid(checked.message, checked.field);
  return checked.value;
};

const decode = (text: string): string => {
  if (!/[%+]/.test(text)) return text;
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw invalid('query must be percent-encoded UTF-8');
  }
};

/** A value of the type that a schema wants; a text that is none stays one, and the schema refuses it. */
const toTypedParameter = (schema: TSchema, value: string): Parameter => {
  if (hasType(schema, 'integer') && /^-?\d+$/.test(value)) return Number(value);
  return hasType(schema, 'boolean') && /^(?:true|false)$/.test(value) ? value === 'true' : value;
};

type Parameter = string | number | boolean;

/**
 * The parameters that a schema names: integers as numbers, truth values as such, and those of lists, which may be given
 * several times, as lists; the rest of the query string is ignored.
 *
 * @throws DomainError for another parameter given twice, or malformed percent-encoding
 */
const readParameters = (
  querystring: string,
  schema: TObject,
): Readonly<Record<string, Parameter | readonly string[]>> => {
  const found = new Map<string, Parameter | string[]>();
  for (const pair of querystring.split('&')) {
    const at = pair.includes('=') ? pair.indexOf('=') : pair.length;
    const name = decode(pair.slice(0, at));
    const member = Object.hasOwn(schema.properties, name) ? schema.properties[name] : undefined;
    if (!member) continue;
    const value = decode(pair.slice(at + 1));
    if (hasType(member, 'array')) {
      const before = found.get(name);
      if (Array.isArray(before)) before.push(value);
      else found.set(name, [value]);
      continue;
    }
    if (found.has(name)) throw invalidAt(`query/${name}`, 'must not be given twice');
    found.set(name, toTypedParameter(member, value));
  }
  return Object.fromEntries(found);
};

/** Makes the function that reads a request's path and query. It throws a DomainError for what the schemas refuse. */
export const createRequestReader = <P extends TObject, Q extends TObject>(params: P, parameters: Q) => {
  const checkParams = createValidator(params, 'path');
  const checkParameters = createValidator(parameters, 'query');
  return (ctx: RouteContext) => ({
    params: requireValid(checkParams, { ...ctx.params }),
    parameters: requireValid(checkParameters, readParameters(ctx.querystring, parameters)),
  });
};

/** Makes the function that reads a request's body. It throws a DomainError for what the schema refuses. */
export const createBodyReader = <B extends TObject>(body: B) => {
  const checkBody = createValidator(body, 'body');
  return async (ctx: RouteContext) => requireValid(checkBody, withoutNulls(await readJson(ctx)));
};
