import { isDeepStrictEqual } from 'node:util';
import { internal } from '../../src/access/access.ts';
import { bodyOfFact, completer } from '../../src/schema/body.ts';
import { defineCommand, noContent } from '../../src/application/command.ts';
import { posting } from '../../src/domain/posting.ts';
import { invalidAt } from '../../src/errors/domain-error.ts';
import { Identifier, object } from '../../src/schema/schema.ts';
import { PostingFacts } from '../../src/schema/vocabulary.ts';

const complete = completer(PostingFacts);

/** Records what the rest of the business knows of a posting. A closed one stays closed. */
export const recordPosting = defineCommand(posting)({
  name: 'recordPosting',
  summary: 'Create or revise a posting',
  method: 'PUT',
  path: '/internal/postings/:id',
  access: internal,
  params: object({ id: Identifier }),
  body: bodyOfFact(PostingFacts, ['officeId', 'title', 'profession']),
  prepare({ params: { id }, body }) {
    const facts = complete(body);
    const { min, max } = facts.salaryRange ?? { min: null, max: null };
    if (min !== null && max !== null && min > max) throw invalidAt('body/salaryRange/min', 'must be <= max');
    return { id, facts };
  },
  decide: (state, { id, facts }) =>
    isDeepStrictEqual(state.facts, facts)
      ? []
      : [{ type: 'PostingRecorded', data: { postingId: id, ...facts } }],
  ...noContent,
  refusals: [],
});
