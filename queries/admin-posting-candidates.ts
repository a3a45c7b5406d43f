import { Type, type Static } from '../src/schema/typebox.ts';
import {
  postingCandidatesCollection,
  postingCandidates,
  type PostingCandidate,
} from '../projections/posting-candidates.ts';
import { postingTabsCollection, sumTabCounts } from '../projections/parts/posting-tabs.ts';
import { adminAccess } from '../src/access/access.ts';
import { memoizeLazyJson } from '../src/application/lazy-json.ts';
import { defineQuery } from '../src/application/query.ts';
import type { StoredDocument } from '../src/read-models/port.ts';
import { Identifier, nullable, object, personal, text } from '../src/schema/schema.ts';
import { officeStatuses, type CandidateOfficeStatus } from '../src/schema/vocabulary.ts';
import {
  candidateRowMembers,
  candidateRowValues,
  sortParameterSchemaOf,
  orderBy,
  type SortColumn,
} from './parts/candidate-rows.ts';
import { Pagination, toSkipAndLimit, pageParameterSchemasOf } from './parts/pages.ts';

const AdminPostingCandidateRow = object(
  {
    ...candidateRowMembers,
    postingId: Identifier,
    professionalEmail: personal(nullable(Type.String()), 'professionalId', 'contact'),
    professionalPhone: personal(nullable(Type.String()), 'professionalId', 'contact'),
  },
  { title: 'AdminPostingCandidate' },
);

const sortColumns = {
  appliedAt: 'appliedAt',
  createdAt: 'appliedAt',
  updatedAt: 'updatedAt',
  professionalName: 'professionalName',
  hiringStatus: 'hiringRank',
  officeStatus: 'officeRank',
  professionalStatus: 'professionalRank',
  isShortlisted: 'shortlisted',
} as const satisfies Record<string, SortColumn>;

const oneStatus = `(?:${officeStatuses.join('|')})`;
const statusListParameter = Type.String({
  pattern: `^${oneStatus}(?:,${oneStatus})*$`,
  says: `must be a comma-separated list of ${officeStatuses.join(', ')}`,
  examples: ['applied,scheduled'],
});

/** A candidate as an administrator sees it. */
export const toAdminPostingCandidateRow = ({
  id,
  doc,
}: StoredDocument<PostingCandidate>): Static<typeof AdminPostingCandidateRow> => ({
  ...candidateRowValues(id, doc),
  postingId: doc.postingId,
  professionalEmail: doc.others.email,
  professionalPhone: doc.others.phone,
});
const rowText = memoizeLazyJson(toAdminPostingCandidateRow);

/** The candidates of a posting, for administrators (interface specification, 4.4). */
export const getPostingCandidatesByAdmin = defineQuery({
  name: 'getPostingCandidatesByAdmin',
  summary: 'List the candidates of a posting, with the fields for administrators',
  path: '/admin/postings/:postingId/candidates',
  access: adminAccess,
  params: object({ postingId: Identifier }),
  parameters: object({
    status: Type.Optional(statusListParameter),
    name: Type.Optional(text(200, { description: 'Found in the first name, the last name or both, as literal text.' })),
    ...pageParameterSchemasOf(10),
    sortBy: Type.Optional(sortParameterSchemaOf(sortColumns)),
    sortOrder: Type.Optional(Type.Enum(['asc', 'desc', 'ASC', 'DESC'])),
  }),
  reads: [postingCandidates],
  response: object(
    { data: Type.Array(AdminPostingCandidateRow), ...Pagination.properties },
    { title: 'AdminPostingCandidateList' },
  ),
  refusals: [],
  async find({ params: { postingId }, parameters }, readModels) {
    const { name = '', page = 1, pageSize = 10, sortBy = 'appliedAt', sortOrder = 'desc' } = parameters;
    const wanted = officeStatuses.filter((status) => parameters.status?.split(',').includes(status));
    const filter = {
      postingId,
      ...(wanted.length > 0 ? { officeStatus: { in: wanted } } : {}),
      ...(name === '' ? {} : { professionalName: { contains: name } }),
    };
    const found = await readModels.find(postingCandidatesCollection, {
      filter,
      order: orderBy(sortColumns[sortBy], sortOrder.toLowerCase() === 'asc'),
      ...toSkipAndLimit(page, pageSize),
    });
    const countByTabs = async (status: readonly CandidateOfficeStatus[]) => {
      const tabs = (await readModels.get(postingTabsCollection, postingId))?.doc;
      return sumTabCounts(tabs?.counts, status.length > 0 ? status : undefined);
    };
    const total = name === '' ? await countByTabs(wanted) : await readModels.count(postingCandidatesCollection, filter);
    return { data: found.map(rowText), page, pageSize, total };
  },
});
