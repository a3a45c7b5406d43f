import { Type } from '../src/schema/typebox.ts';
import {
  emptySavedPostingSummary,
  savedPostingSummariesCollection,
} from '../projections/parts/saved-posting-summary.ts';
import {
  savedPostingsCollection,
  lastUnsavesCollection,
  savedPostings,
  type SavedPosting,
} from '../projections/saved-postings.ts';
import { professionalAccess } from '../src/access/access.ts';
import { memoizeLazyJson } from '../src/application/lazy-json.ts';
import { defineQuery } from '../src/application/query.ts';
import type { StoredDocument } from '../src/read-models/port.ts';
import { Identifier, Timestamp, nullable, object, personal } from '../src/schema/schema.ts';
import { Address, OfficeInfo, SalaryRange, Schedule, CandidateProfessionalStatus } from '../src/schema/vocabulary.ts';
import { Pagination, toSkipAndLimit, pageParameterSchemasOf } from './parts/pages.ts';

const nullableText = nullable(Type.String());
const names = Type.Array(Type.String());
const miles = personal(nullable(Type.Number({ description: 'Miles.' })), 'professionalId', 'place');
const count = Type.Integer();

const SavedPostingRow = object(
  {
    id: Identifier,
    title: nullableText,
    description: nullableText,
    profession: nullableText,
    professionName: nullableText,
    subProfession: nullableText,
    subProfessionName: nullableText,
    specialty: nullableText,
    benefits: names,
    benefitsOther: nullableText,
    procedures: names,
    candidateStatus: nullable(CandidateProfessionalStatus),
    candidateStatusUpdatedAt: nullable(Timestamp),
    createdAt: nullable(Timestamp),
    publishedAt: nullable(Timestamp),
    isSaved: Type.Boolean(),
    onsiteInterviewsCount: count,
    salaryRange: nullable(SalaryRange),
    schedule: nullable(Schedule),
    commute: object(
      {
        drive: object(
          {
            distance: miles,
            eta: personal(
              nullable(Type.String({ description: 'An ISO 8601 duration.', examples: ['PT35M'] })),
              'professionalId',
              'place',
            ),
            roadDistance: miles,
          },
          { title: 'Drive' },
        ),
      },
      { title: 'Commute' },
    ),
    offerOwner: object(
      {
        id: nullable(Identifier),
        officeName: nullableText,
        address: Type.Array(Address),
        officeInfo: nullable(OfficeInfo),
      },
      { title: 'OfferOwner' },
    ),
  },
  { title: 'SavedPosting' },
);

/** They tell how far away a professional lives. */
const within = personal(count, 'professionalId', 'place');
const Summary = object(
  { within50MilesCount: within, within100MilesCount: within, within150MilesCount: within, within200MilesCount: within },
  { title: 'SavedPostingsSummary' },
);

const rowText = memoizeLazyJson(({ doc }: StoredDocument<SavedPosting>) => doc.row);

/** The professional's saved postings, newest save first (interface specification, 4.6). */
export const getSavedPostings = defineQuery({
  name: 'getSavedPostings',
  summary: 'List the saved postings',
  path: '/postings/saved',
  access: professionalAccess,
  params: object({}),
  parameters: object(pageParameterSchemasOf(15)),
  reads: [savedPostings],
  response: object(
    {
      data: Type.Array(SavedPostingRow),
      metadata: object({ asOf: nullable(Timestamp) }),
      pagination: Pagination,
      summary: Summary,
    },
    { title: 'SavedPostingList' },
  ),
  refusals: [],
  async find({ principal: { professionalId }, parameters: { page = 1, pageSize = 15 } }, readModels) {
    const filter = { professionalId };
    const found = await readModels.find(savedPostingsCollection, {
      filter,
      order: [
        ['savedAt', 'descending'],
        ['postingId', 'ascending'],
      ],
      ...toSkipAndLimit(page, pageSize),
    });
    const [newest] = await readModels.find(savedPostingsCollection, {
      filter,
      order: [['asOf', 'descending']],
      limit: 1,
    });
    const list = await readModels.get(lastUnsavesCollection, professionalId);
    const [asOf = null] = [newest?.doc.asOf, list?.doc.changedAt]
      .flatMap((at) => at ?? [])
      .sort()
      .reverse();
    return {
      data: found.map(rowText),
      metadata: { asOf },
      pagination: { page, pageSize, total: await readModels.count(savedPostingsCollection, filter) },
      summary: (await readModels.get(savedPostingSummariesCollection, professionalId))?.doc ?? emptySavedPostingSummary,
    };
  },
});
