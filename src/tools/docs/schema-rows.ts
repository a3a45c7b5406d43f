import { isObject } from '../../schema/json.ts';
import { Identifier, personalMarkOf, Timestamp, text, type PersonalMark } from '../../schema/schema.ts';

/** One member of an event, in words. */
interface SchemaRow {
  /** With the members that it lies in, as in `salaryRange.min` and `data[].id`. */
  readonly name: string;
  readonly type: string;
  readonly notes: string;
  /** Whose personal data it is, and of which kind. */
  readonly personal: PersonalMark | undefined;
}

/** The patterns of the named shapes. */
const patternOf = (schema: object): unknown => ('pattern' in schema ? schema.pattern : undefined);
const [identifier, timestamp, plainText] = [Identifier, Timestamp, text()].map(patternOf);

const isNumber = (value: unknown): value is number => typeof value === 'number';

const range = (least: unknown, most: unknown): string => {
  if (isNumber(least) && isNumber(most)) return `${least} to ${most}`;
  if (isNumber(least)) return `at least ${least}`;
  return isNumber(most) ? `at most ${most}` : '';
};

const textType = ({ pattern, minLength, maxLength, says }: Record<string, unknown>): string => {
  if (pattern === identifier) return 'identifier';
  if (pattern === timestamp) return 'timestamp';
  const length = range(minLength, maxLength);
  const bounds = length === '' ? '' : `, ${length} characters`;
  if (pattern === undefined || pattern === plainText) return `text${bounds}`;
  return `text${bounds}, ${typeof says === 'string' ? says.replace(/^must be /, '') : `pattern ${JSON.stringify(pattern)}`}`;
};

const listType = ({ items, minItems, maxItems, uniqueItems }: Record<string, unknown>): string => {
  const length = range(minItems, maxItems);
  return `list of ${typeText(items)}${length === '' ? '' : `, ${length} entries`}${uniqueItems === true ? ', none twice' : ''}`;
};

const plainType = (type: unknown, schema: Record<string, unknown>): string => {
  if (Array.isArray(schema['enum'])) return schema['enum'].filter((value) => value !== null).join(', ');
  if ('const' in schema) return JSON.stringify(schema['const']);
  switch (type) {
    case 'string':
      return textType(schema);
    case 'array':
      return listType(schema);
    case 'integer':
    case 'number':
      return `${type} ${range(schema['minimum'], schema['maximum'])}`.trim();
    case 'object':
      return isObject(schema['patternProperties'])
        ? `object of ${Object.values(schema['patternProperties']).map(typeText).join(' or ')}`
        : 'object';
    default:
      return String(type);
  }
};

/** The type of a value with its bounds, in words. */
export const typeText = (schema: unknown): string => {
  if (!isObject(schema)) throw new Error('A schema is an object');
  if (Array.isArray(schema['anyOf'])) return schema['anyOf'].map(typeText).join(' or ');
  const types: unknown[] = Array.isArray(schema['type']) ? schema['type'] : [schema['type']];
  const isNullable = types.includes('null') || (Array.isArray(schema['enum']) && schema['enum'].includes(null));
  const plain = plainType(
    types.find((type) => type !== 'null'),
    schema,
  );
  return isNullable ? `${plain}, or null` : plain;
};

const descriptionOf = (schema: object): unknown => ('description' in schema ? schema.description : undefined);
/** What every identifier and timestamp says of itself is said once, above. */
const common = [Identifier, Timestamp].map(descriptionOf);
const notesOf = ({ description }: Record<string, unknown>): string =>
  typeof description === 'string' && !common.includes(description) ? description : '';

/** The members of an object, and of the objects in it. */
export const schemaRowsOf = (schema: unknown, within = ''): SchemaRow[] => {
  if (!isObject(schema) || !isObject(schema['properties'])) return [];
  return Object.entries(schema['properties']).flatMap(([member, inner]) => {
    if (!isObject(inner)) return [];
    const name = `${within}${member}`;
    const personal = personalMarkOf(inner);
    const row = { name, type: typeText(inner), notes: notesOf(inner), personal };
    const nested =
      inner['type'] === 'array' ? schemaRowsOf(inner['items'], `${name}[].`) : schemaRowsOf(inner, `${name}.`);
    return [row, ...nested.map((one) => ({ ...one, personal: one.personal ?? personal }))];
  });
};
