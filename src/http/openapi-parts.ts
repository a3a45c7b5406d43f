import { STATUS_CODES } from 'node:http';
import type { Command } from '../application/command.ts';
import type { DomainErrorReason } from '../errors/domain-error.ts';
import { isObject } from '../schema/json.ts';
import { object, PERSONAL_KEYWORD } from '../schema/schema.ts';
import { Type, type TObject, type TSchema } from '../schema/typebox.ts';
import { headerReferences, commonAnswerHeaderNames, type AnswerHeaderName } from './answer-headers.ts';
import { errorCodes, httpStatusOf } from './edge/error-codes.ts';
import { pathParameterDocs, queryParameterDescriptions, errorMessageExamples } from './openapi-examples.ts';

/** Parts of the OpenAPI description of an operation. */

/** Refusals of every operation, also of the event stream. */
export const streamRefusalStatuses = [400, 401, 403, 406, 408, 412, 414, 417, 429, 431, 500];
/** Refusals of every operation but the event stream, which is never a 503. */
export const commonRefusalStatuses = [...streamRefusalStatuses, 503];
/** Refusals of an operation that takes a body. */
export const bodyRefusalStatuses = [413, 415];

const ErrorObject = object(
  { error: Type.String({ 'x-ms-primary-error-message': true }) },
  { title: 'Error', description: 'The error object (interface specification, 2.8).' },
);

/** The type of an enum, which TypeBox leaves out: generators of clients need it. */
const typeOfWords = ({ enum: words }: Readonly<Record<string, unknown>>) =>
  Array.isArray(words) ? { type: words.includes(null) ? ['string', 'null'] : 'string' } : {};

/** Lone surrogates: validators that do not know Unicode's classes take this one for some letters. */
const LONE_SURROGATES = '\\p{Cs}';

/** A schema as clients see it, without keywords that only this service reads. */
export const publicSchema = (schema: unknown): unknown => {
  if (Array.isArray(schema)) return schema.map(publicSchema);
  if (typeof schema === 'string') return schema.replace(LONE_SURROGATES, '');
  if (!isObject(schema)) return schema;
  const members = Object.entries(schema).filter(
    ([name, value]) => name !== PERSONAL_KEYWORD && !(name === 'says' && typeof value === 'string'),
  );
  return { ...typeOfWords(schema), ...Object.fromEntries(members.map(([name, value]) => [name, publicSchema(value)])) };
};

/** The content of a body of JSON. */
export const jsonContent = (schema: TSchema, example?: unknown) => ({
  content: { 'application/json': { schema: publicSchema(schema), example } },
});
/** The path of an operation as OpenAPI writes it. */
export const toOpenApiPath = (path: string) => path.replace(/:(\w+)/g, '{$1}');

/** Without required members there is no list `required`, though the type says otherwise. */
const isRequired = (schema: TObject, name: string): boolean => 'required' in schema && schema.required.includes(name);

/** The schema of a parameter, which has its description itself. */
const schemaOf = ({ description: _, ...schema }: TSchema & { description?: string }) => publicSchema(schema);

const pathParametersOf = ({ properties }: TObject, path: string) =>
  Object.entries(properties).map(([name, member]) => {
    const [before = ''] = new RegExp(`[^/]+(?=/:${name}(/|$))`).exec(path) ?? [];
    const [description, example] = pathParameterDocs[`${before}/:${name}`] ?? pathParameterDocs[before] ?? [];
    return { name, in: 'path', required: true, description, schema: schemaOf(member), example };
  });

const queryParametersOf = (schema: TObject) =>
  Object.entries(schema.properties).map(([name, member]) => ({
    name,
    in: 'query',
    required: isRequired(schema, name),
    description: 'description' in member ? String(member.description) : queryParameterDescriptions[name],
    schema: schemaOf(member),
  }));

/** A parameter in a header. */
export const headerParameter = (name: string, description: string, schema: TSchema = Type.String()) => ({
  name,
  in: 'header',
  required: false,
  description,
  schema: publicSchema(schema),
});

/** For reads whose answers have no ETag. */
export const ifMatchWithoutEtagParameter = headerParameter('If-Match', 'ETags, which match nothing here, or `*`.');

/** Headers of refusals beyond those of every answer, by status. */
const refusalHeaderNames: Readonly<Record<number, readonly AnswerHeaderName[]>> = {
  400: ['Error-Field'],
  401: ['WWW-Authenticate'],
  404: ['Error-Field'],
  415: ['Accept-Encoding', 'Accept-Patch'],
  429: ['Retry-After'],
  503: ['Retry-After'],
};

/** The name of a refusal, such as `NotFound`. */
const nameOfRefusal = (status: number): string => (STATUS_CODES[status] ?? '').replace(/\W/g, '');

/** Without 405, which belongs to no operation. */
const errorStatuses = [...new Set(errorCodes.map(({ status }) => status))].filter((status) => status !== 405);

/** The refusals of all operations, by name. */
export const refusalResponseComponents = () =>
  Object.fromEntries(
    errorStatuses.map((status) => [
      nameOfRefusal(status),
      {
        description: errorCodes
          .filter((each) => each.status === status)
          .map(({ code, meaning }) => `\`${code}\`: ${meaning}`)
          .join(' '),
        headers: headerReferences('Error-Code', ...(refusalHeaderNames[status] ?? []), ...commonAnswerHeaderNames),
        ...jsonContent(ErrorObject, { error: errorMessageExamples[status] }),
      },
    ]),
  );

const refusalReferences = (statuses: readonly number[]) =>
  Object.fromEntries(
    [...new Set(statuses)]
      .sort((a, b) => a - b)
      .map((status) => [status, { $ref: `#/components/responses/${nameOfRefusal(status)}` }]),
  );

/** Groups of callers (interface specification, 5). */
export const tags = {
  office: { name: 'Professionals and offices', description: 'What professionals and offices ask for and do.' },
  admin: { name: 'Administrators', description: 'What administrators see and decide, and how read models are run.' },
  history: { name: 'Analysts', description: 'What happened: events, and read models as they were.' },
  internal: {
    name: 'The rest of the business',
    description: 'Facts that other systems record, and events that they are sent, with an API key of scope internal.',
  },
} as const;

const tagByPrefix: readonly (readonly [string, (typeof tags)[keyof typeof tags]])[] = [
  ['/admin/', tags.admin],
  ['/internal/', tags.internal],
  ['/history/', tags.history],
];
const tagOf = (path: string): string =>
  (tagByPrefix.find(([prefix]) => path.startsWith(prefix))?.[1] ?? tags.office).name;

/** The body that a schema describes; nothing where it has no members. */
const requestBodyOf = (body: TObject) =>
  Object.keys(body.properties).length > 0
    ? {
        requestBody: { required: true, description: 'A member that is null counts as left out.', ...jsonContent(body) },
      }
    : {};

/** What an operation is defined by; a schema that is left out has no members. */
interface OperationDefinition extends Pick<Command, 'name' | 'summary' | 'path' | 'access'> {
  readonly params?: TObject;
  readonly parameters?: TObject;
  readonly body?: TObject;
  /** The reasons beyond those of every operation. */
  readonly refusals?: readonly DomainErrorReason[];
}

interface AnswerDescription {
  readonly description: string;
  readonly headers?: ReturnType<typeof headerReferences>;
  readonly content?: object;
}

interface OperationDescription {
  readonly headers?: readonly ReturnType<typeof headerParameter>[];
  /** By status. */
  readonly answers: Readonly<Record<string, AnswerDescription>>;
  /** Statuses beyond those of the definition's refusals. */
  readonly refusals?: readonly number[];
}

/** An operation in the OpenAPI description. */
export const openApiOperationOf = (
  { name, summary, path, access, params, parameters, body, refusals: reasons = [] }: OperationDefinition,
  { headers = [], answers, refusals = commonRefusalStatuses }: OperationDescription,
) => ({
  operationId: name,
  tags: [tagOf(path)],
  summary,
  description: `Needs ${access.who}.`,
  security: [access.scope === 'internal' ? { apiKey: [] } : { apiKey: [], bearer: [] }],
  parameters: [
    ...pathParametersOf(params ?? object({}), path),
    ...queryParametersOf(parameters ?? object({})),
    ...headers,
  ],
  ...requestBodyOf(body ?? object({})),
  responses: {
    ...Object.fromEntries(
      Object.entries(answers).map(([status, answer]) => [
        status,
        { ...answer, headers: { ...answer.headers, ...headerReferences(...commonAnswerHeaderNames) } },
      ]),
    ),
    ...refusalReferences([...refusals, ...reasons.map(httpStatusOf)]),
  },
});
