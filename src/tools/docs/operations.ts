import type { AccessPolicy } from '../../access/access.ts';
import type { Command } from '../../application/command.ts';
import { errorCodes } from '../../http/edge/error-codes.ts';
import { commonRefusalStatuses, toOpenApiPath } from '../../http/openapi-parts.ts';
import type { HttpApiDefinition } from '../../http/http-api-definition.ts';
import { inlineCode, GENERATED_NOTICE, markdownTable } from './markdown.ts';

interface Operation {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly access: AccessPolicy<unknown>;
  /** Left out: those of every operation alone. */
  readonly refusals?: Command['refusals'];
}

const rowOf = ({ name, method, path, access, refusals = [] }: Operation): string[] => [
  inlineCode(name),
  inlineCode(`${method} ${toOpenApiPath(path)}`),
  access.who,
  refusals.map(inlineCode).join(', '),
];

/** `docs/http-operations.md`: every operation, from the definitions that serve it. */
export const operationsPage = ({
  commands,
  queries,
  admin: { operations, events },
  questions: history,
}: HttpApiDefinition): string => {
  const reads = queries.map((query) => ({ ...query, method: 'GET' }));
  const questions = history.map((question) => ({ method: 'GET', ...question }));
  const following = { ...events, method: 'GET' };
  return [
    GENERATED_NOTICE,
    '',
    '# Operations',
    '',
    'Members, bounds, headers, answers and errors of each are in `/openapi.json` of a running service, and on its page `/docs`.',
    `Each may refuse with ${commonRefusalStatuses.join(', ')}; those that are no \`GET\` with 413 and 415 as well, commands with 422 too.`,
    'The last column has the `Error-Code`s beyond those; all are [below](#error-codes). What applies to all alike is in [behaviour.md](behaviour.md).',
    '',
    ...markdownTable(
      ['operation', 'method and path', 'who may call', 'refusals'],
      [...commands, ...reads, ...operations, following, ...questions].map(rowOf),
    ),
    '## Error codes',
    '',
    'Every refusal has the header `Error-Code`: one word that tells a program what is wrong. The message is for people, and may change.',
    'A word keeps its meaning. New ones may be added, so a program handles one that it does not know by its status.',
    'The word says no more than the message does: where answers must not differ, it is the same.',
    '',
    ...markdownTable(
      ['code', 'status', 'meaning'],
      errorCodes.map((each) => [inlineCode(each.code), String(each.status), each.meaning]),
    ),
  ].join('\n');
};
