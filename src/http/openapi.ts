import type { AdminOperation, ServerSentEvents } from '../builds/admin-operation.ts';
import type { Command } from '../application/command.ts';
import type { Query } from '../application/query.ts';
import { Type } from '../schema/typebox.ts';
import { answerHeaders, headersOf } from './answer-headers.ts';
import type { HttpInterface } from './http-interface.ts';
import { historyOperation } from './openapi-history.ts';
import {
  header,
  ifMatchAny,
  json,
  ofBodies,
  onEveryOperation,
  onEveryStream,
  operationOf,
  refusalsOf,
  tags,
  toPath,
} from './openapi-parts.ts';
import { createSchemas } from './openapi-schemas.ts';
import { readBackOf } from './preconditions.ts';

const idempotencyKey = header(
  'Idempotency-Key',
  'The same key and request again, within 24 hours, has the effect and the answer of the first.',
  Type.String({ pattern: '^[\\x21-\\x7e]{1,255}$' }),
);

const preconditionsOf = (readBack: Query | undefined) => {
  const etags = readBack
    ? `ETags of ${readBack.name}, or \`*\`.`
    : 'ETags, which match nothing here, or `*`.';
  return [
    header(
      'If-Match',
      `${etags} The write is carried out only if one of them is the current ETag or, with \`*\`, if the thing exists.`,
    ),
    header(
      'If-None-Match',
      `${etags} The write is carried out only if none of them is the current ETag or, with \`*\`, if the thing does not exist.`,
    ),
  ];
};

const mfaToken = header('X-Service-MFA-Token', 'Token of a completed phone_update_flow; with phoneNumber.');

const written = headersOf('Consistency-Token', 'Idempotent-Replayed');

const commandOperation = (command: Command, readBack: Query | undefined) =>
  operationOf(command, {
    headers: [idempotencyKey, ...preconditionsOf(readBack), ...(command.takesMfaToken ? [mfaToken] : [])],
    answers: Object.fromEntries(
      Object.entries(command.responses).map(([status, schema]) => [
        status,
        schema
          ? { description: 'Done.', headers: written, ...json(schema) }
          : { description: 'Done; no body.', headers: written },
      ]),
    ),
    refusals: [...onEveryOperation, ...ofBodies, 422],
  });

const etag = headersOf('ETag');

const queryOperation = (query: Query) =>
  operationOf(query, {
    headers: [
      header('Consistency-Token', 'Of a write: the answer shows what it wrote, or is a 503.'),
      header('If-Match', 'ETags, of which one is that of the answer, or *.'),
      header('If-None-Match', 'ETags of answers that the client has, or *.'),
    ],
    answers: {
      200: { description: 'Found.', headers: etag, ...json(query.response) },
      304: { description: 'The client has the answer, by its If-None-Match; no body.', headers: etag },
    },
  });

const adminOperation = (operation: AdminOperation) =>
  operationOf(operation, {
    headers: operation.method === 'GET' ? [ifMatchAny] : preconditionsOf(undefined),
    answers: {
      [operation.status]: {
        description: operation.status === 202 ? 'Begun.' : 'Done.',
        ...json(operation.response),
      },
    },
    refusals: operation.method === 'GET' ? onEveryOperation : [...onEveryOperation, ...ofBodies],
  });

const serverSentEventsOperation = ({ events, ...stream }: ServerSentEvents) => {
  const descriptions = Object.entries(events).map(([name, what]) => `\`${name}\`: ${what}`);
  return operationOf(stream, {
    headers: [ifMatchAny],
    answers: {
      200: {
        description: `Server-sent events, each with an object of JSON, until the caller leaves or the token expires. ${descriptions.join(' ')}`,
        content: { 'text/event-stream': { schema: { type: 'string' } } },
      },
    },
    refusals: onEveryStream,
  });
};

/** The OpenAPI 3.1 description, made from the schemas that validate requests. */
export const openApiOf = ({ title, description, commands, queries, admin, questions }: HttpInterface) => {
  const { types, describeOperation, describeAnswers } = createSchemas();
  const paths = new Map<string, Record<string, unknown>>();
  const add = (path: string, method: string, operation: ReturnType<typeof operationOf>) => {
    paths.set(toPath(path), { ...paths.get(toPath(path)), [method]: describeOperation(operation) });
  };
  const responses = describeAnswers(refusalsOf());
  for (const query of queries) add(query.path, 'get', queryOperation(query));
  for (const command of commands)
    add(command.path, command.method.toLowerCase(), commandOperation(command, readBackOf(command, queries)));
  for (const operation of admin.operations)
    add(operation.path, operation.method.toLowerCase(), adminOperation(operation));
  add(admin.events.path, 'get', serverSentEventsOperation(admin.events));
  for (const question of questions)
    add(question.path, question.method?.toLowerCase() ?? 'get', historyOperation(question));
  return {
    openapi: '3.1.0',
    info: {
      title,
      version: '1',
      description,
      contact: { name: 'The operator of this service' },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    // The host that this description was fetched from.
    servers: [{ url: '/' }],
    tags: Object.values(tags),
    paths: Object.fromEntries([...paths].sort(([a], [b]) => (a < b ? -1 : 1))),
    components: {
      schemas: Object.fromEntries(Object.entries(types).sort(([a], [b]) => (a < b ? -1 : 1))),
      headers: answerHeaders,
      responses,
      securitySchemes: {
        apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
        bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
      },
    },
  };
};
