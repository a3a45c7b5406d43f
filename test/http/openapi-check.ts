import { Ajv2020 } from 'ajv/dist/2020.js';
import { NDJSON_MEDIA_TYPE, HTML_MEDIA_TYPE } from '../../src/history/operations/headers.ts';
import { isObject } from '../../src/schema/json.ts';
import { apiKeys } from '../support/examples.ts';
import type { Answer } from '../support/service.ts';

/** Throws for an answer that the OpenAPI description does not document. */
export type CheckAnswer = (
  method: string,
  path: string,
  answer: Pick<Answer, 'status' | 'body'> & Partial<Pick<Answer, 'headers'>>,
) => void;

export interface DocumentedOperation {
  readonly method: string;
  readonly template: string;
  readonly operation: Readonly<Record<string, unknown>>;
}

const METHODS = ['get', 'put', 'post', 'patch', 'delete', 'head', 'options', 'trace'];

/** The object that is a member of a JSON object. Throws for any other value. */
export const objectAt = (value: unknown, ...members: readonly string[]): Readonly<Record<string, unknown>> => {
  let found = value;
  for (const member of members) found = isObject(found) ? found[member] : undefined;
  if (!isObject(found)) throw new Error(`The document has no object at ${members.join('/')}`);
  return found;
};

/** A part of a document with what its references name in their places. */
const dereferenced = (part: unknown, document: unknown): unknown => {
  if (Array.isArray(part)) return part.map((one) => dereferenced(one, document));
  if (!isObject(part)) return part;
  const { $ref: reference, ...others } = part;
  if (typeof reference === 'string') {
    const named = objectAt(document, ...reference.replace('#/', '').split('/'));
    return { ...objectAt(dereferenced(named, document)), ...others };
  }
  return Object.fromEntries(Object.entries(part).map(([name, member]) => [name, dereferenced(member, document)]));
};

/** Every operation of a description, without references. */
export const operationsOf = (document: unknown): DocumentedOperation[] =>
  Object.entries(objectAt(document, 'paths')).flatMap(([template, item]) =>
    Object.entries(objectAt(item))
      .filter(([method]) => METHODS.includes(method))
      .map(([method, operation]) => ({
        method: method.toUpperCase(),
        template,
        operation: objectAt(dereferenced(operation, document)),
      })),
  );

/** A schema that takes no other members than it describes: clients shall expect more one day, and tests do not. */
export const closed = (schema: unknown): unknown => {
  if (Array.isArray(schema)) return schema.map(closed);
  if (!isObject(schema)) return schema;
  const members = Object.entries(schema).map(([name, member]) => [name, closed(member)] as const);
  return {
    ...(isObject(schema['properties']) && typeof schema['type'] !== 'undefined' && { additionalProperties: false }),
    ...Object.fromEntries(members),
  };
};

/** A compiler of the schemas in a description; throws for an invalid JSON Schema of 2020-12. */
export const createCompiler = () => {
  const ajv = new Ajv2020({ strict: true, strictTypes: false, allowUnionTypes: true, code: { optimize: false } });
  ajv.addKeyword('x-ms-primary-error-message');
  ajv.addFormat('int32', true);
  ajv.addFormat('date-time', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/);
  return (schema: unknown): ((value: unknown) => string | undefined) => {
    const validate = ajv.compile(objectAt(schema));
    return (value) => (validate(value) ? undefined : ajv.errorsText(validate.errors, { dataVar: 'body' }));
  };
};

const isTemplateOf = (path: string) => {
  const bare = path.replace(/\?.*$/s, '').replace(/(?<=.)\/$/, '');
  return (template: string): boolean => {
    const [wanted, given] = [template.split('/'), bare.split('/')];
    return (
      wanted.length === given.length && wanted.every((part, index) => part.startsWith('{') || part === given[index])
    );
  };
};

/** What is wrong with the first line of JSON that is not as described; none were read of a body that is undefined. */
const faultInLines = (body: unknown, check: (line: unknown) => string | undefined): string | undefined => {
  if (body === undefined) return undefined;
  if (typeof body !== 'string') return 'it must be lines';
  const lines = body.split('\n').filter((line) => line !== '');
  return lines.map((line) => check(JSON.parse(line))).find((fault) => fault !== undefined);
};

/** What is wrong with a page; none was read of a body that is undefined. */
const faultInPage = (body: unknown): string | undefined =>
  body === undefined || typeof body === 'string' ? undefined : 'it must be a page';

type CheckBody = ((body: unknown) => string | undefined) | null;

/** The check of a schema that is compiled when it is first asked: few of a description's answers come in one suite. */
const checkOf = (schema: unknown, compile: ReturnType<typeof createCompiler>) => {
  let check: ((value: unknown) => string | undefined) | undefined;
  return (value: unknown): string | undefined => (check ??= compile(closed(schema)))(value);
};

const answersOf = ({ operation }: DocumentedOperation, compile: ReturnType<typeof createCompiler>) =>
  new Map<number, CheckBody>(
    Object.entries(objectAt(operation, 'responses')).map(([status, response]) => {
      const { content } = objectAt(response);
      if (content !== undefined && Object.hasOwn(objectAt(content), NDJSON_MEDIA_TYPE)) {
        const check = checkOf(objectAt(content, NDJSON_MEDIA_TYPE, 'schema')['contentSchema'], compile);
        return [Number(status), (body) => faultInLines(body, check)];
      }
      if (content !== undefined && Object.hasOwn(objectAt(content), HTML_MEDIA_TYPE))
        return [Number(status), faultInPage];
      // A stream of events has no body to compare.
      if (content === undefined || !Object.hasOwn(objectAt(content), 'application/json')) return [Number(status), null];
      return [Number(status), checkOf(objectAt(content, 'application/json')['schema'], compile)];
    }),
  );

const headersIn = (response: unknown): Readonly<Record<string, unknown>> =>
  isObject(response) && isObject(response['headers']) ? response['headers'] : {};

/** The object that a schema describes, be it null or not. */
const withoutNull = (schema: unknown): unknown =>
  isObject(schema) && Array.isArray(schema['oneOf'])
    ? schema['oneOf'].find((one: unknown) => isObject(one) && one['type'] !== 'null')
    : schema;

/** Whether a pointer leads to a schema of an operation's path, query or body. */
const leadsToSchema = (pointer: string, { operation }: DocumentedOperation): boolean => {
  const body = operation['requestBody'];
  const parameters = Array.isArray(operation['parameters']) ? operation['parameters'].map((one) => objectAt(one)) : [];
  const roots = [
    body === undefined ? {} : objectAt(body, 'content', 'application/json', 'schema'),
    { properties: Object.fromEntries(parameters.map(({ name, schema }) => [String(name), schema])) },
  ];
  const [, ...steps] = pointer.split('/');
  return roots.some((root) =>
    isObject(
      steps.reduce<unknown>((schema, step) => {
        const found = withoutNull(schema);
        return isObject(found) ? found[step] : undefined;
      }, root),
    ),
  );
};

/** Makes the check of answers against a description. Paths that it does not describe must not be found. */
export const createAnswerCheck = (document: unknown, undescribed: readonly string[] = []): CheckAnswer => {
  const compile = createCompiler();
  const operations = operationsOf(document).map((one) => ({ ...one, answers: answersOf(one, compile) }));
  const described = new Set(
    operations.flatMap(({ operation }) =>
      Object.values(objectAt(operation, 'responses')).flatMap((response) => Object.keys(headersIn(response))),
    ),
  );

  return (method, path, { status, body, headers = new Headers() }) => {
    const fail = (reason: string): never => {
      throw new Error(`${method} ${path} answered ${status}: ${reason}; ${JSON.stringify(body)}`);
    };
    const isOfPath = isTemplateOf(path);
    if (undescribed.some(isOfPath)) return;
    const ofPath = operations.filter(({ template }) => isOfPath(template));
    const found = ofPath.find((one) => one.method === (method === 'HEAD' ? 'GET' : method));
    if (!found) {
      const allowed = ofPath.length === 0 ? [404] : method === 'OPTIONS' ? [200, 204] : [405];
      if (status !== 429 && !allowed.includes(status)) fail('no such operation is documented');
      return;
    }
    const check = found.answers.get(status);
    if (check === undefined) return fail('the status is not documented');
    const declared = headersIn(objectAt(found.operation, 'responses', String(status)));
    const undeclared = [...described].find((name) => headers.has(name) && !Object.hasOwn(declared, name));
    if (undeclared !== undefined) fail(`the header ${undeclared} is not documented`);
    const field = headers.get('Error-Field');
    if (field !== null && !leadsToSchema(field, found)) fail(`no schema is at ${field}`);
    if (method === 'HEAD') return;
    if (check === null) return body === undefined ? undefined : fail('it must have no body');
    const fault = check(body);
    if (fault !== undefined) fail(fault);
  };
};

/** Served beside the interface, and not part of its description. */
export const UNDESCRIBED = ['/health/live', '/health/ready', '/metrics', '/docs', '/openapi.json'];

/** By description: the services of a suite mostly have the same, and its schemas take long to compile. */
const checks = new Map<string, CheckAnswer>();

/** The check of answers against a running service's own description. */
export const openApiCheck = async (url: string): Promise<CheckAnswer> => {
  // With a key the request counts against no limit. A test may take longer than the service keeps an idle connection.
  const headers = { 'X-API-Key': apiKeys.client, Connection: 'close' };
  const response = await fetch(`${url}/openapi.json`, { headers });
  const text = await response.text();
  const check = checks.get(text) ?? createAnswerCheck(JSON.parse(text), UNDESCRIBED);
  checks.set(text, check);
  return check;
};
