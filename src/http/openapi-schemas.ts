import { isObject } from '../schema/json.ts';
import { createExampleComposer } from './openapi-examples.ts';

type Schema = Readonly<Record<string, unknown>>;

/** A request may have no further members; an answer may get more one day. */
type Direction = 'request' | 'answer';

interface Operation {
  readonly operationId: string;
  readonly parameters: readonly {
    readonly name: string;
    readonly required: boolean;
    readonly schema: unknown;
    readonly example?: unknown;
  }[];
  readonly requestBody?: object;
  readonly responses: Readonly<Record<string, object>>;
}

const mapMembers = <T, R>(members: Readonly<Record<string, T>>, change: (member: T) => R): Record<string, R> =>
  Object.fromEntries(Object.entries(members).map(([name, member]) => [name, change(member)]));

const pascalCase = (name: string): string =>
  name
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');

/** Whether a schema gets a name: an object, an enum of several words, or a union with a title. */
const isNamedType = ({ properties, enum: words, anyOf, title }: Schema): boolean =>
  isObject(properties) || (Array.isArray(words) && words.length > 1) || (Array.isArray(anyOf) && title !== undefined);

const isNullable = ({ type }: Schema): boolean => Array.isArray(type) && type.includes('null');

/** A schema without null, which stands beside the reference to it. */
const withoutNull = (schema: Schema): Schema =>
  Object.fromEntries(
    Object.entries(schema).map(([keyword, value]) => {
      if (!Array.isArray(value) || (keyword !== 'type' && keyword !== 'enum')) return [keyword, value];
      const values: readonly unknown[] = value.filter((one) => one !== null && one !== 'null');
      return [keyword, keyword === 'type' && values.length === 1 ? values[0] : values];
    }),
  );

/**
 * Collects the types of a description: objects and choices of words, each under its title or, without one, under the
 * name of its holder followed by that of the member. So names stay when something is added, as compiled clients need.
 */
export const createSchemaCollector = () => {
  const types: Record<string, Schema> = {};
  const exampleOf = createExampleComposer(types);

  /** @throws Error where something else has the name */
  const addType = (name: string, schema: Schema): void => {
    const known = types[name];
    if (known && JSON.stringify(known) !== JSON.stringify(schema)) throw new Error(`Two schemas have the name ${name}`);
    types[name] = schema;
  };

  /** Describes a schema with references in the place of types. */
  const describe = (schema: unknown, place: string, direction: Direction): unknown => {
    if (!isObject(schema)) return schema;
    const { title, ...untitled } = schema;
    const name = typeof title === 'string' ? title : place;
    const inner = (value: unknown, member: string): unknown => describe(value, name + pascalCase(member), direction);
    const described = Object.entries(isNamedType(schema) ? withoutNull(untitled) : untitled).flatMap(
      ([keyword, value]): [string, unknown][] => {
        if (keyword === 'additionalProperties' && value === false && direction === 'answer') return [];
        if (keyword === 'properties' && isObject(value)) {
          const properties = Object.entries(value).map(([member, of]) => [member, inner(of, member)]);
          return [[keyword, Object.fromEntries(properties)]];
        }
        if (keyword === 'items') return [[keyword, inner(value, 'item')]];
        if (keyword === 'contentSchema') return [[keyword, inner(value, 'line')]];
        if (keyword === 'anyOf' && Array.isArray(value))
          return [[keyword, value.map((one, index) => inner(one, String(index + 1)))]];
        return [[keyword, value]];
      },
    );
    if (!isNamedType(schema)) return Object.fromEntries(described);
    addType(name, Object.fromEntries(described));
    const reference = { $ref: `#/components/schemas/${name}` };
    // NSwag takes a choice of type and null by `anyOf` for an object of its own.
    return isNullable(schema) ? { oneOf: [reference, { type: 'null' }] } : reference;
  };

  const describeContent = (content: unknown, place: string, direction: Direction): unknown =>
    isObject(content)
      ? mapMembers(content, (media) => {
          if (!isObject(media)) return media;
          const schema = describe(media['schema'], place, direction);
          return { ...media, schema, example: media['example'] ?? exampleOf(schema, place, '') };
        })
      : content;
  const describeBody = (body: object, place: string, direction: Direction): object =>
    'content' in body ? { ...body, content: describeContent(body.content, place, direction) } : body;

  return {
    types,
    /** Describes answers that several operations share; their types have titles. */
    describeAnswers: (answers: Readonly<Record<string, object>>): Record<string, object> =>
      mapMembers(answers, (answer) => describeBody(answer, '', 'answer')),
    /** Describes an operation with references in the place of types. */
    describeOperation: <O extends Operation>(operation: O): O => {
      const name = pascalCase(operation.operationId);
      return {
        ...operation,
        parameters: operation.parameters.map((parameter) => {
          const schema = describe(parameter.schema, name + pascalCase(parameter.name), 'request');
          const { example = exampleOf(schema, name, parameter.name) } = parameter;
          // Swagger UI sends the example of a parameter unasked, and not those of its schema.
          return parameter.required
            ? { ...parameter, schema, example }
            : { ...parameter, schema: { ...(isObject(schema) ? schema : {}), examples: [example] } };
        }),
        ...(operation.requestBody && { requestBody: describeBody(operation.requestBody, `${name}Request`, 'request') }),
        responses: mapMembers(operation.responses, (answer) => describeBody(answer, `${name}Response`, 'answer')),
      };
    },
  };
};
