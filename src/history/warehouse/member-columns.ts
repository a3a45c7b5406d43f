import { isObject } from '../../schema/json.ts';
import { hasWithheldKind, personalMarkOf } from '../../schema/schema.ts';

export const memberColumnTypes = ['VARCHAR', 'BIGINT', 'DOUBLE', 'BOOLEAN', 'TIMESTAMP', 'JSON'] as const;

/** A column of a table: a top-level member of JSON objects. */
export interface MemberColumn {
  readonly name: string;
  readonly type: (typeof memberColumnTypes)[number];
}

type Schema = Readonly<Record<string, unknown>>;

/** The JSON Schema type of values beside null. */
const kindOf = ({ type, enum: values }: Schema): unknown => {
  if (Array.isArray(type)) return (type as readonly unknown[]).find((each) => each !== 'null');
  return type ?? (Array.isArray(values) ? typeof values.find((each) => each !== null) : undefined);
};

/** Times are texts that end in Z. */
const isTime = ({ pattern }: Schema): boolean =>
  typeof pattern === 'string' && pattern.startsWith('^\\d{4}-\\d{2}-\\d{2}T');

const typeOf = (schema: Schema, isMasked: boolean): MemberColumn['type'] => {
  const mark = personalMarkOf(schema);
  // A mask is a text, whatever stands behind it; what is withheld has none.
  if (isMasked && mark && !hasWithheldKind(mark)) return 'VARCHAR';
  switch (kindOf(schema)) {
    case 'string':
      return isTime(schema) ? 'TIMESTAMP' : 'VARCHAR';
    case 'integer':
      return 'BIGINT';
    case 'number':
      return 'DOUBLE';
    case 'boolean':
      return 'BOOLEAN';
    default:
      return 'JSON';
  }
};

/** The columns for the members of an object's schema. */
export const columnsOfMembers = (schema: unknown, isMasked: boolean): readonly MemberColumn[] => {
  const properties = isObject(schema) ? schema['properties'] : undefined;
  if (!isObject(properties)) return [];
  return Object.entries(properties).map(([name, member]) => ({
    name,
    type: typeOf(isObject(member) ? member : {}, isMasked),
  }));
};
