import { Type, type Static } from '../src/schema/typebox.ts';
import {
  postingCandidatesCollection,
  postingCandidates,
  type PostingCandidate,
} from '../projections/posting-candidates.ts';
import { zeroTabCounts, postingTabsCollection, sumTabCounts } from '../projections/parts/posting-tabs.ts';
import { officeOrAdminAccess } from '../src/access/access.ts';
import { forbidden } from '../src/errors/domain-error.ts';
import { memoizeLazyJson } from '../src/application/lazy-json.ts';
import { defineQuery } from '../src/application/query.ts';
import type { StoredDocument } from '../src/read-models/port.ts';
import { Identifier, nullable, object, personal } from '../src/schema/schema.ts';
import { CandidateOfficeStatus } from '../src/schema/vocabulary.ts';
import {
  candidateRowMembers,
  candidateRowValues,
  sortParameterSchemaOf,
  orderBy,
  type SortColumn,
} from './parts/candidate-rows.ts';
import { Pagination, toSkipAndLimit, pageParameterSchemasOf } from './parts/pages.ts';

export const PostingCandidateRow = object(
  {
    ...candidateRowMembers,
    professionalPicture: personal(nullable(Type.String()), 'professionalId', 'picture'),
    yearsOfExperience: nullable(Type.Integer()),
  },
  { title: 'PostingCandidate' },
);
const count = Type.Integer();
const Tabs = object(
  { all: count, applied: count, hired: count, interviewed: count, rejected: count, scheduled: count },
  { title: 'TabCounts' },
);

const sortColumns = {
  status: 'officeRank',
  shortlist: 'shortlisted',
  hired: 'hired',
  createdAt: 'appliedAt',
  updatedAt: 'updatedAt',
} as const satisfies Record<string, SortColumn>;

/** A candidate as the office sees it. */
export const toPostingCandidateRow = ({
  id,
  doc,
}: StoredDocument<PostingCandidate>): Static<typeof PostingCandidateRow> => ({
  ...candidateRowValues(id, doc),
  professionalPicture: doc.others.picture,
  yearsOfExperience: doc.others.yearsOfExperience,
});
const rowText = memoizeLazyJson(toPostingCandidateRow);

/** The candidates of a posting, for its office (interface specification, 4.2). */
export const getPostingCandidates = defineQuery({
  name: 'getPostingCandidates',
  summary: 'List the candidates of a posting',
  path: '/postings/:postingId/candidates',
  access: officeOrAdminAccess,
  params: object({ postingId: Identifier }),
  parameters: object({
    status: Type.Optional(CandidateOfficeStatus),
    ...pageParameterSchemasOf(15),
    orderBy: Type.Optional(sortParameterSchemaOf(sortColumns)),
    orderDirection: Type.Optional(Type.Enum(['ASC', 'DESC', 'asc', 'desc'])),
  }),
  reads: [postingCandidates],
  response: object(
    { data: Type.Array(PostingCandidateRow), metadata: object({ tabs: Tabs }), pagination: Pagination },
    { title: 'PostingCandidateList' },
  ),
  refusals: [],
  async find({ principal, params: { postingId }, parameters }, readModels) {
    const { status, page = 1, pageSize = 15, orderBy: by = 'shortlist', orderDirection = 'DESC' } = parameters;
    const tabs = (await readModels.get(postingTabsCollection, postingId))?.doc;
    if (!principal.isAdmin && tabs?.officeId !== principal.officeId) throw forbidden("The posting is not the office's");
    const counts = tabs?.counts ?? zeroTabCounts;
    const found = await readModels.find(postingCandidatesCollection, {
      filter: status === undefined ? { postingId } : { postingId, officeStatus: status },
      order: orderBy(sortColumns[by], orderDirection.toUpperCase() === 'ASC'),
      ...toSkipAndLimit(page, pageSize),
    });
    return {
      data: found.map(rowText),
      metadata: { tabs: { all: sumTabCounts(counts), ...counts } },
      pagination: { page, pageSize, total: sumTabCounts(counts, status && [status]) },
    };
  },
});
