import { isDeepStrictEqual } from 'node:util';
import { internal } from '../../src/access/access.ts';
import { bodyOfFact, completer } from '../../src/schema/body.ts';
import { defineCommand, noContent } from '../../src/application/command.ts';
import { office } from '../../src/domain/office.ts';
import { Identifier, object } from '../../src/schema/schema.ts';
import { OfficeFacts } from '../../src/schema/vocabulary.ts';

const complete = completer(OfficeFacts);

export const recordOffice = defineCommand(office)({
  name: 'recordOffice',
  summary: 'Create or revise an office',
  method: 'PUT',
  path: '/internal/offices/:id',
  access: internal,
  params: object({ id: Identifier }),
  body: bodyOfFact(OfficeFacts, ['officeName']),
  prepare: ({ params: { id }, body }) => ({ id, facts: complete(body) }),
  decide: (state, { id, facts }) =>
    isDeepStrictEqual(state, facts) ? [] : [{ type: 'OfficeRecorded', data: { officeId: id, ...facts } }],
  ...noContent,
  refusals: [],
});
