import { Type, type Static } from '../src/schema/typebox.ts';
import {
  candidatesOfPosting,
  postingCandidates,
  type PostingCandidate,
} from '../projections/posting-candidates.ts';
import { tabsOfPosting, totalOf } from '../projections/parts/tabs.ts';
import { admin } from '../src/access/access.ts';
import { memoizedText } from '../src/application/json-text.ts';
import { defineQuery } from '../src/application/query.ts';
import type { Stored } from '../src/read-models/port.ts';
import { Identifier, nullable, object, personal, text } from '../src/schema/schema.ts';
import { officeStatuses, type OfficeStatus } from '../src/schema/vocabulary.ts';
import { commonMembers, commonRow, nameIn, orderBy, type SortColumn } from './parts/candidate-rows.ts';
import { Pagination, pageOf, pageParameters } from './parts/pages.ts';

const Row = object(
  {
    ...commonMembers,
    postingId: Identifier,
    professionalEmail: personal(nullable(Type.String()), 'professionalId', 'contact'),
    professionalPhone: personal(nullable(Type.String()), 'professionalId', 'contact'),
  },
  { title: 'AdminPostingCandidate' },
);

const columns = {
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
const statuses = Type.String({
  pattern: `^${oneStatus}(?:,${oneStatus})*$`,
  says: `must be a comma-separated list of ${officeStatuses.join(', ')}`,
  examples: ['applied,scheduled'],
});

/** A candidate as an administrator sees it. */
export const toRow = ({ id, doc }: Stored<PostingCandidate>): Static<typeof Row> => ({
  ...commonRow(id, doc),
  postingId: doc.postingId,
  professionalEmail: doc.others.email,
  professionalPhone: doc.others.phone,
});
const rowText = memoizedText(toRow);

/** The candidates of a posting, for administrators (interface specification, 4.4). */
export const getPostingCandidatesByAdmin = defineQuery({
  name: 'getPostingCandidatesByAdmin',
  summary: 'List the candidates of a posting, with the fields for administrators',
  path: '/admin/postings/:postingId/candidates',
  access: admin,
  params: object({ postingId: Identifier }),
  parameters: object({
    status: Type.Optional(statuses),
    name: Type.Optional(
      text(200, { description: 'Found in the first name, the last name or both, as literal text.' }),
    ),
    ...pageParameters(10),
    sortBy: Type.Optional(nameIn(columns)),
    sortOrder: Type.Optional(Type.Enum(['asc', 'desc', 'ASC', 'DESC'])),
  }),
  reads: [postingCandidates],
  response: object(
    { data: Type.Array(Row), ...Pagination.properties },
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
    const found = await readModels.find(candidatesOfPosting, {
      filter,
      order: orderBy(columns[sortBy], sortOrder.toLowerCase() === 'asc'),
      ...pageOf(page, pageSize),
    });
    const countByTabs = async (status: readonly OfficeStatus[]) => {
      const tabs = (await readModels.get(tabsOfPosting, postingId))?.doc;
      return totalOf(tabs?.counts, status.length > 0 ? status : undefined);
    };
    const total =
      name === '' ? await countByTabs(wanted) : await readModels.count(candidatesOfPosting, filter);
    return { data: found.map(rowText), page, pageSize, total };
  },
});
