import { Type, type Static } from '../src/schema/typebox.ts';
import {
  professionalCandidatesCollection,
  professionalCandidates,
  type ProfessionalCandidate,
} from '../projections/professional-candidates.ts';
import { professionalAccess } from '../src/access/access.ts';
import { invalidAt } from '../src/errors/domain-error.ts';
import { memoizeLazyJson } from '../src/application/lazy-json.ts';
import { defineQuery } from '../src/application/query.ts';
import type { StoredDocument } from '../src/read-models/port.ts';
import { Identifier, Timestamp, nullable, object, personal } from '../src/schema/schema.ts';
import { PostingStatus, SalaryRange, Schedule, CandidateProfessionalStatus } from '../src/schema/vocabulary.ts';
import { candidateRowMembers, candidateRowValues } from './parts/candidate-rows.ts';
import { Pagination, toSkipAndLimit, pageParameterSchemasOf } from './parts/pages.ts';

const nullableText = nullable(Type.String());

export const OwnCandidateRow = object(
  {
    ...candidateRowMembers,
    postingId: Identifier,
    professionalEmail: personal(nullableText, 'professionalId', 'contact'),
    professionalPhone: personal(nullableText, 'professionalId', 'contact'),
    resumeId: Identifier,
    professionalStatusUpdatedAt: Timestamp,
    postingDetails: object(
      {
        id: Identifier,
        officeId: nullable(Identifier),
        officeName: nullableText,
        postingTitle: nullableText,
        professionType: nullableText,
        specialty: nullableText,
        state: nullableText,
        status: nullable(PostingStatus),
        subProfession: nullableText,
        salaryRange: nullable(SalaryRange),
        schedule: nullable(Schedule),
      },
      { title: 'PostingDetails' },
    ),
  },
  { title: 'Candidate' },
);

/** A candidate as the professional sees it. */
export const toProfessionalCandidateRow = ({
  id,
  doc,
}: StoredDocument<ProfessionalCandidate>): Static<typeof OwnCandidateRow> => ({
  ...candidateRowValues(id, doc),
  postingId: doc.postingId,
  professionalEmail: doc.others.email,
  professionalPhone: doc.others.phone,
  resumeId: doc.candidate.resumeId,
  professionalStatusUpdatedAt: doc.candidate.professionalStatusUpdatedAt,
  postingDetails: doc.others.posting,
});
const rowText = memoizeLazyJson(toProfessionalCandidateRow);

/** Interface specification, 3. */
const statusesByCategory = {
  active: ['applied', 'scheduled', 'interviewed'],
  archived: ['hired', 'closed'],
} as const satisfies Record<string, readonly CandidateProfessionalStatus[]>;

/** The candidates that the professional submitted (interface specification, 4.7). */
export const getProfessionalCandidates = defineQuery({
  name: 'getProfessionalCandidates',
  summary: "List the professional's own candidates",
  path: '/professionals/candidates',
  access: professionalAccess,
  params: object({}),
  parameters: object({
    category: Type.Enum(['active', 'archived']),
    status: Type.Optional(CandidateProfessionalStatus),
    ...pageParameterSchemasOf(15),
  }),
  reads: [professionalCandidates],
  response: object({ data: Type.Array(OwnCandidateRow), pagination: Pagination }, { title: 'CandidateList' }),
  refusals: [],
  async find({ principal: { professionalId }, parameters: { category, status, page = 1, pageSize = 15 } }, readModels) {
    const ofCategory: readonly CandidateProfessionalStatus[] = statusesByCategory[category];
    if (status !== undefined && !ofCategory.includes(status))
      throw invalidAt('query/status', `must be one of ${ofCategory.join(', ')} in the category ${category}`);
    const filter = { professionalId, professionalStatus: status ?? { in: ofCategory } };
    const found = await readModels.find(professionalCandidatesCollection, {
      filter,
      order: [
        ['appliedAt', 'descending'],
        ['id', 'ascending'],
      ],
      ...toSkipAndLimit(page, pageSize),
    });
    const total = await readModels.count(professionalCandidatesCollection, filter);
    return { data: found.map(rowText), pagination: { page, pageSize, total } };
  },
});
