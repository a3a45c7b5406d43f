import { isDeepStrictEqual } from 'node:util';
import { internalAccess } from '../../src/access/access.ts';
import { putBodySchemaOf, createPutBodyCompleter } from '../../src/schema/body.ts';
import { defineCommand, noContent } from '../../src/application/command.ts';
import { officeDecider } from '../../src/domain/office.ts';
import { Identifier, object } from '../../src/schema/schema.ts';
import { OfficeData } from '../../src/schema/vocabulary.ts';

const complete = createPutBodyCompleter(OfficeData);

export const recordOffice = defineCommand(officeDecider)({
  name: 'recordOffice',
  summary: 'Create or revise an office',
  method: 'PUT',
  path: '/internal/offices/:id',
  access: internalAccess,
  params: object({ id: Identifier }),
  body: putBodySchemaOf(OfficeData, ['officeName']),
  prepare: ({ params: { id }, body }) => ({ id, facts: complete(body) }),
  decide: (state, { id, facts }) =>
    isDeepStrictEqual(state, facts) ? [] : [{ type: 'OfficeRecorded', data: { officeId: id, ...facts } }],
  ...noContent,
  refusals: [],
});
