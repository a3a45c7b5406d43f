import { postingsCollection, professionalCandidates } from '../projections/professional-candidates.ts';
import { internalAccess } from '../src/access/access.ts';
import { notFound } from '../src/errors/domain-error.ts';
import { defineQuery } from '../src/application/query.ts';
import { Identifier, Timestamp, nullable, object } from '../src/schema/schema.ts';
import { PostingStatus, PostingData } from '../src/schema/vocabulary.ts';

export const getPosting = defineQuery({
  name: 'getPosting',
  summary: 'Read a posting back',
  path: '/internal/postings/:id',
  access: internalAccess,
  params: object({ id: Identifier }),
  parameters: object({}),
  reads: [professionalCandidates],
  response: object(
    { id: Identifier, ...PostingData.properties, status: PostingStatus, publishedAt: nullable(Timestamp) },
    { title: 'Posting' },
  ),
  refusals: ['not-found'],
  async find({ params: { id } }, readModels) {
    const doc = (await readModels.get(postingsCollection, id))?.doc;
    if (!doc?.facts) throw notFound('No posting has the id in path/id');
    const status = doc.closing ? ('closed' as const) : ('open' as const);
    return { id, ...doc.facts, status, publishedAt: doc.createdAt };
  },
});
