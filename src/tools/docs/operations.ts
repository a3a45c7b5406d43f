import type { TObject } from 'typebox';
import type { Access } from '../../access/access.ts';
import type { AdminInterface, AdminOperation } from '../../rebuilds/admin-operation.ts';
import type { Command, Responses } from '../../command-handling/command.ts';
import { openApiOf } from '../../http/openapi.ts';
import { isObject } from '../../schema/json.ts';
import type { Query } from '../../query-handling/query.ts';
import { object } from '../../schema/schema.ts';
import { code, GENERATED, table } from './markdown.ts';
import { rowsOf } from './schema-rows.ts';

/** What is told of every operation. */
interface Operation {
  readonly name: string;
  readonly summary: string;
  readonly method: string;
  readonly path: string;
  readonly access: Access<unknown>;
  readonly params: TObject;
  readonly parameters: TObject | undefined;
  readonly headers: readonly string[];
  readonly body: TObject | undefined;
  readonly responses: Responses;
}

const ofCommand = (command: Command): Operation => ({
  ...command,
  parameters: undefined,
  headers: ['Idempotency-Key', ...(command.takesMfaToken ? ['X-Service-MFA-Token'] : [])],
});

const ofQuery = (query: Query): Operation => ({
  ...query,
  method: 'GET',
  headers: ['Consistency-Token', 'If-None-Match'],
  body: undefined,
  responses: { 200: query.response },
});

const ofAdmin = (operation: AdminOperation): Operation => ({
  ...operation,
  parameters: undefined,
  headers: [],
  responses: { [operation.status]: operation.response },
});

const ofEvents = ({ events }: AdminInterface): Operation => ({
  ...events,
  method: 'GET',
  params: object({}),
  parameters: undefined,
  headers: [],
  body: undefined,
  responses: {},
});

const shownPath = (path: string) => path.replace(/:(\w+)/g, '{$1}');

/** The errors of every operation with their meaning, as the OpenAPI description has them. */
const errorsOf = (paths: unknown, { path, method }: Operation): [status: string, meaning: string][] => {
  const member = (value: unknown, name: string): unknown => (isObject(value) ? value[name] : undefined);
  const responses = member(member(member(paths, shownPath(path)), method.toLowerCase()), 'responses');
  if (!isObject(responses)) throw new Error(`${method} ${path} is not in the OpenAPI description`);
  return Object.entries(responses).flatMap(([status, response]) =>
    Number(status) >= 400
      ? [[status, String(member(response, 'description'))] satisfies [string, string]]
      : [],
  );
};

const members = (schema: TObject | undefined, heading: string): string[] =>
  schema === undefined
    ? []
    : table(
        [heading, 'type', 'required', ''],
        rowsOf(schema).map(({ name, type, isRequired, notes }) => [
          code(name),
          type,
          isRequired ? 'yes' : 'no',
          notes,
        ]),
      );

const answers = (responses: Responses): string[] =>
  Object.entries(responses).flatMap(([status, schema]) => [
    `Answer ${status}${schema ? ':' : ', without a body.'}`,
    '',
    ...table(
      ['member', 'type', ''],
      rowsOf(schema).map(({ name, type, notes }) => [code(name), type, notes]),
    ),
  ]);

const section = (operation: Operation, errors: readonly (readonly [string, string])[]): string[] => {
  const { name, summary, method, path, access, params, parameters, headers, body, responses } = operation;
  return [
    `### ${method} ${shownPath(path)}`,
    '',
    `${summary}. Operation ${code(name)}; needs ${access.who}.`,
    '',
    ...(headers.length > 0 ? [`Optional headers: ${headers.map(code).join(', ')}.`, ''] : []),
    ...members(params, 'in the path'),
    ...members(parameters, 'in the query string'),
    ...members(body, 'in the body'),
    ...answers(responses),
    `Errors: ${errors.map(([status]) => status).join(', ')}.`,
    '',
  ];
};

/** `docs/operations.md`: every operation, from the definitions that serve it. */
export const operationsPage = (
  commands: readonly Command[],
  queries: readonly Query[],
  admin: AdminInterface,
): string => {
  const { paths } = openApiOf(commands, queries, admin);
  const writes = commands.map(ofCommand);
  const reads = queries.map(ofQuery);
  const operating = admin.operations.map(ofAdmin);
  const following = ofEvents(admin);
  const all = [...writes, ...reads, ...operating, following];
  const meanings = new Map(all.flatMap((operation) => errorsOf(paths, operation)));
  const sections = (operations: readonly Operation[]) =>
    operations.flatMap((operation) => section(operation, errorsOf(paths, operation)));
  const overview = all.map(({ method, path, summary, access }) => [
    code(`${method} ${shownPath(path)}`),
    summary,
    access.who,
  ]);
  return [
    GENERATED,
    '',
    '# Operations',
    '',
    'Every operation needs the header `X-API-Key`; those that need a user also need `Authorization: Bearer <JWT>`. Bodies are JSON.',
    'An _identifier_ is 1 to 128 characters out of `A-Z a-z 0-9 . _ ~ -`, and not `.` or `..`. A _timestamp_ is RFC 3339 in UTC with',
    'milliseconds. A _text_ holds no control characters but tab, LF and CR; its length is counted in code points. In a body, a member',
    'that is `null` counts as left out. In an answer every member is there; `null` is what is not known.',
    'What applies to all operations alike is in [decisions.md](decisions.md) and [consistency.md](consistency.md).',
    '',
    ...table(['operation', 'what it does', 'needs'], overview),
    '## Errors',
    '',
    'The body of an error is `{"error": "<message>"}`.',
    '',
    ...table(
      ['status', 'meaning'],
      [...meanings].sort(([a], [b]) => Number(a) - Number(b)),
    ),
    '## Writes',
    '',
    'A success carries the header `Consistency-Token`.',
    '',
    ...sections(writes),
    '## Reads',
    '',
    'A success carries the header `ETag`. A read that carries it as `If-None-Match` is answered with 304 and no body where the answer would',
    'be the same.',
    '',
    ...sections(reads),
    '## Operating',
    '',
    'What those who run the service can do with projections; [operating.md](operating.md#over-http) tells how.',
    '',
    ...sections(operating),
    ...sections([following]),
    'Server-sent events, each with an object of JSON:',
    '',
    ...table(
      ['event', 'what it tells'],
      Object.entries(admin.events.events).map(([name, what]) => [code(name), what]),
    ),
  ].join('\n');
};
