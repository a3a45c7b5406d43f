import type { TObject, TSchema } from '../schema/typebox.ts';
import type { AdminInterface, AdminOperation, EventStream } from '../rebuilds/admin-operation.ts';
import type { Command } from '../command-handling/command.ts';
import type { HistoryInterface } from '../history/operations/index.ts';
import { FoundEventShown } from '../history/operations/events.ts';
import {
  CODE_HEADER,
  LINES,
  MASKS_HEADER,
  PAGE,
  POSITION_HEADER,
  REASON_HEADER,
  TIME_HEADER,
} from '../history/operations/headers.ts';
import type { HistoryOperation, HistoryOperationBase } from '../history/operations/operation.ts';
import type { Query } from '../query-handling/query.ts';
import { isObject } from '../schema/json.ts';
import { object, PERSONAL } from '../schema/schema.ts';
import { Type } from '../schema/typebox.ts';
import { statuses } from './http-error.ts';

const problems: Readonly<Record<number, string>> = {
  400: 'The request is not valid; the message says what is wrong and where.',
  401: 'The API key or the bearer token is missing or not valid.',
  403: 'Authenticated, but not allowed.',
  404: 'A resource that the request names does not exist.',
  406: 'The Accept header excludes what is answered with.',
  408: 'The request did not arrive in time.',
  409: 'The state of the resource does not allow it.',
  413: 'The body is over 100 KiB.',
  414: 'The URL of the request is over 8 KiB.',
  415: 'The body is not JSON.',
  417: 'The header Expect is not 100-continue.',
  422: 'The Idempotency-Key was used with another request.',
  429: 'Too many requests, or more stored than may be; Retry-After says when to come back.',
  431: 'The headers are over 16 KiB, or 1,000 or more.',
  500: 'Internal error; X-Request-Id names it in the application log.',
  503: 'Not ready or too busy; Retry-After says when to come back.',
};
const onEveryStream = [400, 401, 403, 406, 408, 414, 417, 429, 431, 500];
/** Refusals of every operation but the event stream, which is never a 503. */
export const onEveryOperation = [...onEveryStream, 503];
const onEveryCommand = [413, 415, 422];
const ADMIN_BODY = [413, 415];

const ErrorObject = object(
  { error: Type.String() },
  { description: 'The error object (interface specification, 2.8).' },
);

/** A schema without the keywords that only this service reads. */
const shown = (schema: unknown): unknown => {
  if (Array.isArray(schema)) return schema.map(shown);
  if (!isObject(schema)) return schema;
  const members = Object.entries(schema).filter(
    ([name, value]) => name !== PERSONAL && !(name === 'says' && typeof value === 'string'),
  );
  return Object.fromEntries(members.map(([name, value]) => [name, shown(value)]));
};

const json = (schema: TSchema) => ({ content: { 'application/json': { schema: shown(schema) } } });
/** The path of an operation as OpenAPI writes it. */
export const toPath = (path: string) => path.replace(/:(\w+)/g, '{$1}');

/** Without required members there is no list `required`, though the type says otherwise. */
const isRequired = (schema: TObject, name: string): boolean =>
  'required' in schema && schema.required.includes(name);

const parametersOf = (schema: TObject, place: 'path' | 'query') =>
  Object.entries(schema.properties).map(([name, member]) => ({
    name,
    in: place,
    required: place === 'path' || isRequired(schema, name),
    schema: shown(member),
  }));

const header = (name: string, description: string, schema: TSchema, required = false) => ({
  name,
  in: 'header',
  required,
  description,
  schema: shown(schema),
});

const errorsOf = (statuses: readonly number[]) =>
  Object.fromEntries(
    [...new Set(statuses)]
      .sort((a, b) => a - b)
      .map((status) => [status, { description: problems[status] ?? '', ...json(ErrorObject) }]),
  );

const refusedBy = ({ refusals }: Pick<Command, 'refusals'>) => refusals.map((reason) => statuses[reason]);

/** Groups of callers (interface specification, 5). */
const tags = {
  office: {
    name: 'Professionals and offices',
    description: 'What professionals and offices ask for and do.',
  },
  admin: {
    name: 'Administrators',
    description: 'What administrators see and decide, and how read models are run.',
  },
  history: {
    name: 'Analysts',
    description: 'What happened: events, and read models as they were.',
  },
  internal: {
    name: 'The rest of the business',
    description: 'Facts that other systems tell, by an API key of scope internal.',
  },
} as const;

const tagByPrefix: readonly (readonly [string, (typeof tags)[keyof typeof tags]])[] = [
  ['/admin/', tags.admin],
  ['/internal/', tags.internal],
  ['/history/', tags.history],
];
const tagOf = (path: string): string =>
  (tagByPrefix.find(([prefix]) => path.startsWith(prefix))?.[1] ?? tags.office).name;

const common = ({ name, summary, path, access }: Pick<Command, 'name' | 'summary' | 'path' | 'access'>) => ({
  operationId: name,
  tags: [tagOf(path)],
  summary,
  description: `Needs ${access.who}.`,
  security: [access.scope === 'internal' ? { apiKey: [] } : { apiKey: [], bearer: [] }],
});

const requestBodyOf = (body: TObject) =>
  Object.keys(body.properties).length > 0
    ? {
        requestBody: {
          required: true,
          description: 'A member that is null counts as left out.',
          ...json(body),
        },
      }
    : {};

const commandOperation = (command: Command) => ({
  ...common(command),
  parameters: [
    ...parametersOf(command.params, 'path'),
    header(
      'Idempotency-Key',
      'The same key and request again, within 24 hours, has the effect and the answer of the first.',
      Type.String({ pattern: '^[\\x21-\\x7e]{1,255}$' }),
    ),
    ...(command.takesMfaToken
      ? [
          header(
            'X-Service-MFA-Token',
            'Token of a completed phone_update_flow; with phoneNumber.',
            Type.String(),
          ),
        ]
      : []),
  ],
  ...requestBodyOf(command.body),
  responses: {
    ...Object.fromEntries(
      Object.entries(command.responses).map(([status, schema]) => [
        status,
        {
          description: schema ? 'Done.' : 'Done; no body.',
          headers: {
            'Consistency-Token': {
              description: 'A read that carries it shows what was written.',
              schema: { type: 'string' },
            },
          },
          ...(schema ? json(schema) : {}),
        },
      ]),
    ),
    ...errorsOf([...onEveryOperation, ...onEveryCommand, ...refusedBy(command)]),
  },
});

const etag = {
  ETag: {
    description: 'Names the answer: as long as it is the same, the bytes are.',
    schema: { type: 'string' },
  },
};

const queryOperation = (query: Query) => ({
  ...common(query),
  parameters: [
    ...parametersOf(query.params, 'path'),
    ...parametersOf(query.parameters, 'query'),
    header('Consistency-Token', 'Of a write: the answer shows what it wrote, or is a 503.', Type.String()),
    header('If-None-Match', 'ETags of answers that the client has, or *.', Type.String()),
  ],
  responses: {
    200: { description: 'Found.', headers: etag, ...json(query.response) },
    304: { description: 'The client has the answer, by its If-None-Match; no body.', headers: etag },
    ...errorsOf([...onEveryOperation, ...refusedBy(query)]),
  },
});

const adminOperation = (operation: AdminOperation) => ({
  ...common(operation),
  parameters: [
    ...parametersOf(operation.params, 'path'),
    ...(operation.parameters ? parametersOf(operation.parameters, 'query') : []),
  ],
  ...requestBodyOf(operation.body),
  responses: {
    [operation.status]: {
      description: operation.status === 202 ? 'Begun.' : 'Done.',
      ...json(operation.response),
    },
    ...errorsOf([
      ...onEveryOperation,
      ...(operation.method === 'GET' ? [] : ADMIN_BODY),
      ...refusedBy(operation),
    ]),
  },
});

const eventStreamOperation = (stream: EventStream) => {
  const told = Object.entries(stream.events).map(([name, what]) => `\`${name}\`: ${what}`);
  return {
    ...common(stream),
    parameters: [],
    responses: {
      200: {
        description: `Server-sent events, each with an object of JSON, until the caller leaves or the token expires. ${told.join(' ')}`,
        content: { 'text/event-stream': { schema: { type: 'string' } } },
      },
      ...errorsOf(onEveryStream),
    },
  };
};

const historyQuestion = (operation: HistoryOperationBase<TObject, TObject>) => ({
  ...common(operation),
  parameters: [
    ...parametersOf(operation.params, 'path'),
    ...parametersOf(operation.parameters, 'query'),
    header(
      REASON_HEADER,
      'Of an administrator: why personal data is needed, percent-encoded. It is recorded, and the answer has no masks.',
      Type.String({ maxLength: 1_500 }),
    ),
  ],
});

const historyOperation = (operation: HistoryOperation) => ({
  ...historyQuestion(operation),
  responses: {
    200: { description: 'Found. Personal data is masked.', ...json(operation.answer) },
    ...errorsOf([...onEveryOperation, ...refusedBy(operation)]),
  },
});

/** What an answer that is no JSON object was made from. */
const madeFromHeaders = {
  [POSITION_HEADER]: {
    description: 'Up to which events were looked at; with it as `to` the answer is the same again.',
    schema: { type: 'string' },
  },
  [TIME_HEADER]: {
    description: 'When the event there was recorded; left out before the first event.',
    schema: { type: 'string' },
  },
  [CODE_HEADER]: { description: 'The version of the code.', schema: { type: 'string' } },
  [MASKS_HEADER]: {
    description: 'Tells masks of one secret from those of another; `none` with personal data.',
    schema: { type: 'string' },
  },
};

const historyEventsOperation = (operation: HistoryInterface['events']) => ({
  ...historyQuestion(operation),
  responses: {
    200: {
      description:
        'Lines, each an object of JSON; of those that are followed some are empty. Personal data is masked.',
      headers: madeFromHeaders,
      content: { [LINES]: { schema: shown(FoundEventShown) } },
    },
    ...errorsOf([...onEveryOperation, ...refusedBy(operation)]),
  },
});

const historyReportOperation = (operation: HistoryInterface['report']) => ({
  ...historyQuestion(operation),
  responses: {
    200: {
      description: 'A page of HTML that needs nothing else. Personal data is left out.',
      headers: madeFromHeaders,
      content: { [PAGE]: { schema: { type: 'string' } } },
    },
    ...errorsOf([...onEveryOperation, ...refusedBy(operation)]),
  },
});

/** The OpenAPI 3.1 description, made from the schemas that validate requests. */
export const openApiOf = (
  commands: readonly Command[],
  queries: readonly Query[],
  admin: AdminInterface,
  history: HistoryInterface,
) => {
  const paths = new Map<string, Record<string, unknown>>();
  const add = (path: string, method: string, operation: unknown) => {
    paths.set(toPath(path), { ...paths.get(toPath(path)), [method]: operation });
  };
  for (const query of queries) add(query.path, 'get', queryOperation(query));
  for (const command of commands) add(command.path, command.method.toLowerCase(), commandOperation(command));
  for (const operation of admin.operations)
    add(operation.path, operation.method.toLowerCase(), adminOperation(operation));
  add(admin.events.path, 'get', eventStreamOperation(admin.events));
  for (const operation of history.operations) add(operation.path, 'get', historyOperation(operation));
  add(history.events.path, 'get', historyEventsOperation(history.events));
  add(history.report.path, 'get', historyReportOperation(history.report));
  return {
    openapi: '3.1.0',
    info: {
      title: 'Hiring service',
      version: '1',
      description:
        'Professionals, postings and candidates in dental staffing. The interface grows by addition; a breaking change would be served under /v2.',
      contact: { name: 'The operator of this service' },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    // The host that this description was fetched from.
    servers: [{ url: '/' }],
    tags: Object.values(tags),
    paths: Object.fromEntries([...paths].sort(([a], [b]) => (a < b ? -1 : 1))),
    components: {
      securitySchemes: {
        apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
        bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
      },
    },
  };
};
