import { isDeepStrictEqual } from 'node:util';
import { internalAccess } from '../../src/access/access.ts';
import { putBodySchemaOf, createPutBodyCompleter } from '../../src/schema/body.ts';
import { defineCommand, noContent } from '../../src/application/command.ts';
import { postingDecider } from '../../src/domain/posting.ts';
import { invalidAt } from '../../src/errors/domain-error.ts';
import { Identifier, object } from '../../src/schema/schema.ts';
import { PostingData } from '../../src/schema/vocabulary.ts';

const complete = createPutBodyCompleter(PostingData);

/** Records what the rest of the business knows of a posting. A closed one stays closed. */
export const recordPosting = defineCommand(postingDecider)({
  name: 'recordPosting',
  summary: 'Create or revise a posting',
  method: 'PUT',
  path: '/internal/postings/:id',
  access: internalAccess,
  params: object({ id: Identifier }),
  body: putBodySchemaOf(PostingData, ['officeId', 'title', 'profession']),
  prepare({ params: { id }, body }) {
    const facts = complete(body);
    const { min, max } = facts.salaryRange ?? { min: null, max: null };
    if (min !== null && max !== null && min > max) throw invalidAt('body/salaryRange/min', 'must be <= max');
    return { id, facts };
  },
  decide: (state, { id, facts }) =>
    isDeepStrictEqual(state.facts, facts) ? [] : [{ type: 'PostingRecorded', data: { postingId: id, ...facts } }],
  ...noContent,
  refusals: [],
});
