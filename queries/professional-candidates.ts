import { Type, type Static } from '../src/schema/typebox.ts';
import {
  candidatesOfProfessional,
  professionalCandidates,
  type ProfessionalCandidate,
} from '../projections/professional-candidates.ts';
import { professional } from '../src/access/access.ts';
import { invalidAt } from '../src/errors/domain-error.ts';
import { memoizedText } from '../src/application/json-text.ts';
import { defineQuery } from '../src/application/query.ts';
import type { Stored } from '../src/read-models/port.ts';
import { Identifier, Timestamp, nullable, object, personal } from '../src/schema/schema.ts';
import { PostingStatus, SalaryRange, Schedule, ProfessionalStatus } from '../src/schema/vocabulary.ts';
import { commonMembers, commonRow } from './parts/candidate-rows.ts';
import { Pagination, pageOf, pageParameters } from './parts/pages.ts';

const name = nullable(Type.String());

export const Row = object(
  {
    ...commonMembers,
    postingId: Identifier,
    professionalEmail: personal(name, 'professionalId', 'contact'),
    professionalPhone: personal(name, 'professionalId', 'contact'),
    resumeId: Identifier,
    professionalStatusUpdatedAt: Timestamp,
    postingDetails: object(
      {
        id: Identifier,
        officeId: nullable(Identifier),
        officeName: name,
        postingTitle: name,
        professionType: name,
        specialty: name,
        state: name,
        status: nullable(PostingStatus),
        subProfession: name,
        salaryRange: nullable(SalaryRange),
        schedule: nullable(Schedule),
      },
      { title: 'PostingDetails' },
    ),
  },
  { title: 'Candidate' },
);

/** A candidate as the professional sees it. */
export const toRow = ({ id, doc }: Stored<ProfessionalCandidate>): Static<typeof Row> => ({
  ...commonRow(id, doc),
  postingId: doc.postingId,
  professionalEmail: doc.others.email,
  professionalPhone: doc.others.phone,
  resumeId: doc.candidate.resumeId,
  professionalStatusUpdatedAt: doc.candidate.professionalStatusUpdatedAt,
  postingDetails: doc.others.posting,
});
const rowText = memoizedText(toRow);

/** Interface specification, 3. */
const categories = {
  active: ['applied', 'scheduled', 'interviewed'],
  archived: ['hired', 'closed'],
} as const satisfies Record<string, readonly ProfessionalStatus[]>;

/** The candidates that the professional submitted (interface specification, 4.7). */
export const getProfessionalCandidates = defineQuery({
  name: 'getProfessionalCandidates',
  summary: "List the professional's own candidates",
  path: '/professionals/candidates',
  access: professional,
  params: object({}),
  parameters: object({
    category: Type.Enum(['active', 'archived']),
    status: Type.Optional(ProfessionalStatus),
    ...pageParameters(15),
  }),
  reads: [professionalCandidates],
  response: object({ data: Type.Array(Row), pagination: Pagination }, { title: 'CandidateList' }),
  refusals: [],
  async find(
    { principal: { professionalId }, parameters: { category, status, page = 1, pageSize = 15 } },
    readModels,
  ) {
    const ofCategory: readonly ProfessionalStatus[] = categories[category];
    if (status !== undefined && !ofCategory.includes(status))
      throw invalidAt('query/status', `must be one of ${ofCategory.join(', ')} in the category ${category}`);
    const filter = { professionalId, professionalStatus: status ?? { in: ofCategory } };
    const found = await readModels.find(candidatesOfProfessional, {
      filter,
      order: [
        ['appliedAt', 'descending'],
        ['id', 'ascending'],
      ],
      ...pageOf(page, pageSize),
    });
    const total = await readModels.count(candidatesOfProfessional, filter);
    return { data: found.map(rowText), pagination: { page, pageSize, total } };
  },
});
