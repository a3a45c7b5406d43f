import { Type, type Static } from '../src/schema/typebox.ts';
import {
  candidatesOfPosting,
  postingCandidates,
  type PostingCandidate,
} from '../projections/posting-candidates.ts';
import { noCandidates, tabsOfPosting, totalOf } from '../projections/parts/tabs.ts';
import { officeOrAdmin } from '../src/access/access.ts';
import { forbidden } from '../src/errors/domain-error.ts';
import { memoizedText } from '../src/application/json-text.ts';
import { defineQuery } from '../src/application/query.ts';
import type { Stored } from '../src/read-models/port.ts';
import { Identifier, nullable, object, personal } from '../src/schema/schema.ts';
import { OfficeStatus } from '../src/schema/vocabulary.ts';
import { commonMembers, commonRow, nameIn, orderBy, type SortColumn } from './parts/candidate-rows.ts';
import { Pagination, pageOf, pageParameters } from './parts/pages.ts';

export const Row = object(
  {
    ...commonMembers,
    professionalPicture: personal(nullable(Type.String()), 'professionalId', 'picture'),
    yearsOfExperience: nullable(Type.Integer()),
  },
  { title: 'PostingCandidate' },
);
const count = Type.Integer();
const Tabs = object(
  {
    all: count,
    applied: count,
    hired: count,
    interviewed: count,
    rejected: count,
    scheduled: count,
  },
  { title: 'TabCounts' },
);

const columns = {
  status: 'officeRank',
  shortlist: 'shortlisted',
  hired: 'hired',
  createdAt: 'appliedAt',
  updatedAt: 'updatedAt',
} as const satisfies Record<string, SortColumn>;

/** A candidate as the office sees it. */
export const toRow = ({ id, doc }: Stored<PostingCandidate>): Static<typeof Row> => ({
  ...commonRow(id, doc),
  professionalPicture: doc.others.picture,
  yearsOfExperience: doc.others.yearsOfExperience,
});
const rowText = memoizedText(toRow);

/** The candidates of a posting, for its office (interface specification, 4.2). */
export const getPostingCandidates = defineQuery({
  name: 'getPostingCandidates',
  summary: 'List the candidates of a posting',
  path: '/postings/:postingId/candidates',
  access: officeOrAdmin,
  params: object({ postingId: Identifier }),
  parameters: object({
    status: Type.Optional(OfficeStatus),
    ...pageParameters(15),
    orderBy: Type.Optional(nameIn(columns)),
    orderDirection: Type.Optional(Type.Enum(['ASC', 'DESC', 'asc', 'desc'])),
  }),
  reads: [postingCandidates],
  response: object(
    { data: Type.Array(Row), metadata: object({ tabs: Tabs }), pagination: Pagination },
    { title: 'PostingCandidateList' },
  ),
  refusals: [],
  async find({ principal, params: { postingId }, parameters }, readModels) {
    const {
      status,
      page = 1,
      pageSize = 15,
      orderBy: by = 'shortlist',
      orderDirection = 'DESC',
    } = parameters;
    const tabs = (await readModels.get(tabsOfPosting, postingId))?.doc;
    if (!principal.isAdmin && tabs?.officeId !== principal.officeId)
      throw forbidden("The posting is not the office's");
    const counts = tabs?.counts ?? noCandidates;
    const found = await readModels.find(candidatesOfPosting, {
      filter: status === undefined ? { postingId } : { postingId, officeStatus: status },
      order: orderBy(columns[by], orderDirection.toUpperCase() === 'ASC'),
      ...pageOf(page, pageSize),
    });
    return {
      data: found.map(rowText),
      metadata: { tabs: { all: totalOf(counts), ...counts } },
      pagination: { page, pageSize, total: totalOf(counts, status && [status]) },
    };
  },
});
