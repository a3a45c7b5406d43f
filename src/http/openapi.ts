import type { AdminOperation, ServerSentEventsDefinition } from '../builds/admin-operation.ts';
import type { Command } from '../application/command.ts';
import type { Query } from '../application/query.ts';
import { Type } from '../schema/typebox.ts';
import { answerHeaderDescriptions, headerReferences } from './answer-headers.ts';
import type { HttpApiDefinition } from './http-api-definition.ts';
import { openApiHistoryOperation } from './openapi-history.ts';
import {
  headerParameter,
  ifMatchWithoutEtagParameter,
  jsonContent,
  bodyRefusalStatuses,
  commonRefusalStatuses,
  streamRefusalStatuses,
  openApiOperationOf,
  refusalResponseComponents,
  tags,
  toOpenApiPath,
} from './openapi-parts.ts';
import { createSchemaCollector } from './openapi-schemas.ts';
import { readBackQueryOf } from './preconditions.ts';

const idempotencyKeyParameter = headerParameter(
  'Idempotency-Key',
  'The same key and request again, within 24 hours, has the effect and the answer of the first.',
  Type.String({ pattern: '^[\\x21-\\x7e]{1,255}$' }),
);

const preconditionParameters = (readBack: Query | undefined) => {
  const etags = readBack ? `ETags of ${readBack.name}, or \`*\`.` : 'ETags, which match nothing here, or `*`.';
  return [
    headerParameter(
      'If-Match',
      `${etags} The write is carried out only if one of them is the current ETag or, with \`*\`, if the thing exists.`,
    ),
    headerParameter(
      'If-None-Match',
      `${etags} The write is carried out only if none of them is the current ETag or, with \`*\`, if the thing does not exist.`,
    ),
  ];
};

const mfaTokenParameter = headerParameter(
  'X-Service-MFA-Token',
  'Token of a completed phone_update_flow; with phoneNumber.',
);

const writeAnswerHeaders = headerReferences('Consistency-Token', 'Idempotent-Replayed');

const commandOperation = (command: Command, readBack: Query | undefined) =>
  openApiOperationOf(command, {
    headers: [
      idempotencyKeyParameter,
      ...preconditionParameters(readBack),
      ...(command.takesMfaToken ? [mfaTokenParameter] : []),
    ],
    answers: Object.fromEntries(
      Object.entries(command.responses).map(([status, schema]) => [
        status,
        schema
          ? { description: 'Done.', headers: writeAnswerHeaders, ...jsonContent(schema) }
          : { description: 'Done; no body.', headers: writeAnswerHeaders },
      ]),
    ),
    refusals: [...commonRefusalStatuses, ...bodyRefusalStatuses, 422],
  });

const etagHeader = headerReferences('ETag');

const queryOperation = (query: Query) =>
  openApiOperationOf(query, {
    headers: [
      headerParameter('Consistency-Token', 'Of a write: the answer shows what it wrote, or is a 503.'),
      headerParameter('If-Match', 'ETags, of which one is that of the answer, or *.'),
      headerParameter('If-None-Match', 'ETags of answers that the client has, or *.'),
    ],
    answers: {
      200: { description: 'Found.', headers: etagHeader, ...jsonContent(query.response) },
      304: { description: 'The client has the answer, by its If-None-Match; no body.', headers: etagHeader },
    },
  });

const adminOperation = (operation: AdminOperation) =>
  openApiOperationOf(operation, {
    headers: operation.method === 'GET' ? [ifMatchWithoutEtagParameter] : preconditionParameters(undefined),
    answers: {
      [operation.status]: {
        description: operation.status === 202 ? 'Begun.' : 'Done.',
        ...jsonContent(operation.response),
      },
    },
    refusals: operation.method === 'GET' ? commonRefusalStatuses : [...commonRefusalStatuses, ...bodyRefusalStatuses],
  });

const serverSentEventsOperation = ({ events, ...stream }: ServerSentEventsDefinition) => {
  const descriptions = Object.entries(events).map(([name, what]) => `\`${name}\`: ${what}`);
  return openApiOperationOf(stream, {
    headers: [ifMatchWithoutEtagParameter],
    answers: {
      200: {
        description: `Server-sent events, each with an object of JSON, until the caller leaves or the token expires. ${descriptions.join(' ')}`,
        content: { 'text/event-stream': { schema: { type: 'string' } } },
      },
    },
    refusals: streamRefusalStatuses,
  });
};

/** The OpenAPI 3.1 description, made from the schemas that validate requests. */
export const openApiOf = ({ title, description, commands, queries, admin, questions }: HttpApiDefinition) => {
  const { types, describeOperation, describeAnswers } = createSchemaCollector();
  const paths = new Map<string, Record<string, unknown>>();
  const add = (path: string, method: string, operation: ReturnType<typeof openApiOperationOf>) => {
    const name = toOpenApiPath(path);
    paths.set(name, { ...paths.get(name), [method.toLowerCase()]: describeOperation(operation) });
  };
  const responses = describeAnswers(refusalResponseComponents());
  for (const query of queries) add(query.path, 'GET', queryOperation(query));
  for (const command of commands)
    add(command.path, command.method, commandOperation(command, readBackQueryOf(command, queries)));
  for (const operation of admin.operations) add(operation.path, operation.method, adminOperation(operation));
  add(admin.events.path, 'GET', serverSentEventsOperation(admin.events));
  for (const question of questions) add(question.path, question.method ?? 'GET', openApiHistoryOperation(question));
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
      headers: answerHeaderDescriptions,
      responses,
      securitySchemes: {
        apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
        bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
      },
    },
  };
};
