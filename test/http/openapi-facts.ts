import { isObject } from '../../src/schema/json.ts';
import { listAt, textAt } from './answer-rules.ts';
import { objectAt } from './openapi-check.ts';

/** Where the facts of the last release's description are kept. */
export const released = 'test/fixtures/released-interface.txt';

const nameOf = (reference: string): string => reference.replace(/^.*\//, '');

const typeOf = (schema: unknown): string => {
  if (!isObject(schema)) return '';
  const { $ref: reference, anyOf, oneOf = anyOf, items, type, format, const: only, contentSchema } = schema;
  if (typeof reference === 'string') return nameOf(reference);
  if (Array.isArray(oneOf)) return oneOf.map(typeOf).join('|');
  if (items) return `${typeOf(items)}[]`;
  if (typeof only === 'string') return `"${only}"`;
  if (contentSchema) return `lines:${typeOf(contentSchema)}`;
  return `${Array.isArray(type) ? type.join('|') : String(type)}${typeof format === 'string' ? `:${format}` : ''}`;
};

/** Each by its name; one more of those that have to be sent would refuse what older clients send. */
const sentFacts = (members: readonly { name: string; required: boolean; type: string }[]): string[] => {
  const required = members.flatMap((member) => (member.required ? [member.name] : []));
  return [...members.map(({ name, type }) => `${name}=${type}`), `required=${required.join()}`];
};

const factsOfSchema = (schema: Readonly<Record<string, unknown>>): string[] => {
  const { properties, required, enum: words, additionalProperties } = schema;
  if (Array.isArray(words)) return words.map(String);
  if (!isObject(properties)) return typeOf(schema).split('|');
  const members = Object.entries(properties).map(([name, member]) => ({
    name,
    required: Array.isArray(required) && required.includes(name),
    type: typeOf(member),
  }));
  return additionalProperties === false
    ? sentFacts(members)
    : members.map((member) => `${member.name}${member.required ? '' : '?'}=${member.type}`);
};

const bodiesOf = (body: unknown): string =>
  Object.entries(objectAt(body, 'content'))
    .map(([media, content]) => `${media}:${typeOf(objectAt(content, 'schema'))}`)
    .join();

const factsOfOperation = (path: string, method: string, operation: object): string[] => [
  `${method.toUpperCase()}:${path}`,
  ...sentFacts(
    listAt(operation, 'parameters').map((parameter) => ({
      name: `${textAt(parameter, 'in')}.${textAt(parameter, 'name')}`,
      required: objectAt(parameter)['required'] === true,
      type: typeOf(objectAt(parameter, 'schema')),
    })),
  ),
  ...('requestBody' in operation ? [`body=${bodiesOf(operation.requestBody)}`] : []),
  ...Object.entries(objectAt(operation, 'responses')).map(([status, answer]) =>
    isObject(answer) && 'content' in answer ? `${status}=${bodiesOf(answer)}` : status,
  ),
];

/** What compiled clients rely on: facts of each operation, type, refusal, and of the headers, by its name. */
export const factsOf = (document: unknown): Map<string, readonly string[]> => {
  const components = objectAt(document, 'components');
  const facts = new Map<string, readonly string[]>();
  for (const [path, item] of Object.entries(objectAt(document, 'paths')))
    for (const [method, operation] of Object.entries(objectAt(item)))
      facts.set(textAt(operation, 'operationId'), factsOfOperation(path, method, objectAt(operation)));
  for (const [name, schema] of Object.entries(objectAt(components, 'schemas')))
    facts.set(name, factsOfSchema(objectAt(schema)));
  for (const [name, answer] of Object.entries(objectAt(components, 'responses'))) facts.set(name, [bodiesOf(answer)]);
  facts.set('headers', Object.keys(objectAt(components, 'headers')));
  return facts;
};
