import type { TObject } from 'typebox';
import { invalid } from '../errors/domain-error.ts';

const decode = (text: string): string => {
  if (!/[%+]/.test(text)) return text;
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw invalid('query must be percent-encoded UTF-8');
  }
};

const isInteger = (schema: object): boolean => 'type' in schema && schema.type === 'integer';

/**
 * The parameters that a schema names, integers as numbers; the rest of the query string is ignored.
 *
 * @throws DomainError for a parameter given twice, or malformed percent-encoding
 */
export const readParameters = (querystring: string, schema: TObject): Record<string, string | number> => {
  const found = new Map<string, string | number>();
  for (const pair of querystring.split('&')) {
    const at = pair.includes('=') ? pair.indexOf('=') : pair.length;
    const name = decode(pair.slice(0, at));
    const member = Object.hasOwn(schema.properties, name) ? schema.properties[name] : undefined;
    if (!member) continue;
    if (found.has(name)) throw invalid(`query/${name} must not be given twice`);
    const value = decode(pair.slice(at + 1));
    found.set(name, isInteger(member) && /^-?\d+$/.test(value) ? Number(value) : value);
  }
  return Object.fromEntries(found);
};
