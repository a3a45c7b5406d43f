import type { TObject } from '../../schema/typebox.ts';
import type { ProfessionalDocument } from '../../../projections/parts/professionals.ts';
import {
  postingCandidatesCollection,
  postingCandidates,
  professionalsCollection as professionalsOfPostingCandidates,
} from '../../../projections/posting-candidates.ts';
import {
  professionalCandidatesCollection,
  professionalCandidates,
  professionalsCollection as professionalsOfProfessionalCandidates,
} from '../../../projections/professional-candidates.ts';
import { professionalProfiles, professionalProfilesCollection } from '../../../projections/professional-profiles.ts';
import { savedPostingsCollection, savedPostings } from '../../../projections/saved-postings.ts';
import { specialties, specialtiesCollection } from '../../../projections/specialties.ts';
import { getPostingCandidatesByAdmin } from '../../../queries/admin-posting-candidates.ts';
import { getPostingCandidates } from '../../../queries/posting-candidates.ts';
import { getProfessionalCandidates } from '../../../queries/professional-candidates.ts';
import { getProfessional } from '../../../queries/professional.ts';
import { getSavedPostings } from '../../../queries/saved-postings.ts';
import { getSpecialty } from '../../../queries/specialty.ts';
import type { User } from '../../access/access.ts';
import { candidateDecider } from '../../domain/candidate.ts';
import { professionalDecider } from '../../domain/professional.ts';
import { savedPostingsDecider as lists } from '../../domain/saved-postings.ts';
import { specialtyDecider } from '../../domain/specialty.ts';
import { DomainError, invalid } from '../../errors/domain-error.ts';
import type { ProjectionDocuments, Projection } from '../../projector/projection.ts';
import { unwrapLazyJson } from '../../application/lazy-json.ts';
import type { Collection, ReadModels } from '../../read-models/port.ts';
import { isObject, type Json, type JsonObject } from '../../schema/json.ts';
import type { Mask, UserIdLookup } from './mask.ts';

/** What a query answers about one partition: all of its rows, on one page. */
interface PartitionAnswer {
  readonly rows: readonly JsonObject[];
  /** What stands beside the rows, such as tabs or a summary. */
  readonly beside: JsonObject;
}

/** A read model as one of its queries answers from it. */
export interface HistoryReadModel {
  readonly name: string;
  readonly projection: Projection;
  /** Holds a document for each row. */
  readonly rows: Collection;
  /** The member of events that names the partition. */
  readonly by: 'postingId' | 'professionalId' | 'specialtyId';
  /** Of the query; its marks tell which members are personal. */
  readonly response: TObject;
  /** Profiles by professional, to find the user of rows that hold only a `professionalId`. */
  readonly professionals?: Collection<ProfessionalDocument>;
  /** The category of the streams that make rows. */
  readonly madeBy: string;
  /** The partition of a row, where its id tells. Else the id names the stream that makes the row. */
  readonly partitionIn?: (id: string) => string;
  readonly ask: (partition: string, readModels: ReadModels) => Promise<PartitionAnswer>;
}

const onOnePage = { page: 1, pageSize: Number.MAX_SAFE_INTEGER };
/** Queries run as an administrator's; what an analyst may not see is masked afterwards. */
const admin: User = { id: 'history', professionalId: undefined, officeId: undefined, isAdmin: true, isAnalyst: false };

/** The body as its JSON says it. */
const bodyOf = (body: object): JsonObject =>
  // What queries answer can be sent as JSON.
  unwrapLazyJson(body) as JsonObject;

const isRow = (value: unknown): value is JsonObject => isObject(value);

const rowsIn = (data: Json | undefined): readonly JsonObject[] =>
  Array.isArray(data) ? (data as readonly unknown[]).filter(isRow) : [];

/** The rows of lists, without what is about pages. */
const answerFromLists = async (...bodies: readonly Promise<object>[]): Promise<PartitionAnswer> => {
  const answers = (await Promise.all(bodies)).map(bodyOf).map((body): PartitionAnswer => {
    const { data, pagination: _pagination, page: _page, pageSize: _size, total: _total, ...beside } = body;
    return { rows: rowsIn(data), beside };
  });
  return { rows: answers.flatMap(({ rows }) => rows), beside: answers[0]?.beside ?? {} };
};

/** The one row of a body, or none where there is nothing to read back. */
const answerFromOne = async (body: Promise<object>): Promise<PartitionAnswer> => {
  try {
    return { rows: [bodyOf(await body)], beside: {} };
  } catch (error) {
    if (error instanceof DomainError && error.reason === 'not-found') return { rows: [], beside: {} };
    throw error;
  }
};

const ofProfessional = (professionalId: string) => ({ ...admin, professionalId });

const ofPosting = (
  query: typeof getPostingCandidates | typeof getPostingCandidatesByAdmin,
): Omit<HistoryReadModel, 'name'> => ({
  projection: postingCandidates,
  rows: postingCandidatesCollection,
  professionals: professionalsOfPostingCandidates,
  by: 'postingId',
  response: query.response,
  madeBy: candidateDecider.category,
  ask: (postingId, readModels) =>
    answerFromLists(query.find({ principal: admin, params: { postingId }, parameters: onOnePage }, readModels)),
});

export const historyReadModels: readonly HistoryReadModel[] = [
  { name: 'posting-candidates', ...ofPosting(getPostingCandidates) },
  { name: 'admin-posting-candidates', ...ofPosting(getPostingCandidatesByAdmin) },
  {
    name: 'professional-candidates',
    projection: professionalCandidates,
    rows: professionalCandidatesCollection,
    professionals: professionalsOfProfessionalCandidates,
    by: 'professionalId',
    response: getProfessionalCandidates.response,
    madeBy: candidateDecider.category,
    ask: (id, readModels) =>
      answerFromLists(
        ...(['active', 'archived'] as const).map((category) =>
          getProfessionalCandidates.find(
            { principal: ofProfessional(id), params: {}, parameters: { ...onOnePage, category } },
            readModels,
          ),
        ),
      ),
  },
  {
    name: 'saved-postings',
    projection: savedPostings,
    rows: savedPostingsCollection,
    by: 'professionalId',
    response: getSavedPostings.response,
    madeBy: lists.category,
    partitionIn: (id) => id.split('/')[0] ?? id,
    ask: (id, readModels) =>
      answerFromLists(
        getSavedPostings.find({ principal: ofProfessional(id), params: {}, parameters: onOnePage }, readModels),
      ),
  },
  {
    name: 'professional-profiles',
    projection: professionalProfiles,
    rows: professionalProfilesCollection,
    by: 'professionalId',
    response: getProfessional.response,
    madeBy: professionalDecider.category,
    partitionIn: (id) => id,
    ask: (id, readModels) =>
      answerFromOne(getProfessional.find({ principal: undefined, params: { id }, parameters: {} }, readModels)),
  },
  {
    name: 'specialties',
    projection: specialties,
    rows: specialtiesCollection,
    by: 'specialtyId',
    response: getSpecialty.response,
    madeBy: specialtyDecider.category,
    partitionIn: (id) => id,
    ask: (id, readModels) =>
      answerFromOne(getSpecialty.find({ principal: admin, params: { id }, parameters: {} }, readModels)),
  },
];

/** The schema of a row as the query answers it: an item of its list, or the answer itself. */
export const answerItemSchemaOf = ({ response }: HistoryReadModel): unknown =>
  isObject(response.properties['data']) ? response.properties['data']['items'] : response;

/** Whom the profile of a professional names, by the document of the professional. */
export const userIdOfDocument = (doc: object | null | undefined): string | undefined =>
  doc && 'userId' in doc && typeof doc.userId === 'string' ? doc.userId : undefined;

/** Whom the profiles name that a projection keeps in memory. */
export const createUserIdLookup =
  ({ professionals }: HistoryReadModel, documents: Pick<ProjectionDocuments, 'get'>): UserIdLookup =>
  (id) =>
    professionals && userIdOfDocument(documents.get(professionals, id));

/** The members of its rows that are withheld. */
export const withheldFromRows = (readModel: HistoryReadModel, mask: Mask): readonly string[] =>
  mask.withheldFrom(answerItemSchemaOf(readModel));

/** The same, with those of what stands beside the rows. */
export const withheldFromAnswer = ({ response }: HistoryReadModel, mask: Mask): readonly string[] => [
  ...new Set(mask.withheldFrom(response).map((path) => path.replace(/^data\./, ''))),
];

/** The answer of a query as it is shown. */
export const maskedAnswer = async (
  readModel: HistoryReadModel,
  answer: Promise<PartitionAnswer>,
  mask: Mask,
  userOf: UserIdLookup,
): Promise<PartitionAnswer> => {
  const { rows, beside } = await answer;
  const schema = answerItemSchemaOf(readModel);
  return { rows: rows.map((row) => mask.show(schema, row, userOf)), beside: mask.show(readModel.response, beside) };
};

/** @throws DomainError invalid for an unknown name, with those that there are */
export const requireHistoryReadModel = (name: string): HistoryReadModel => {
  const found = historyReadModels.find((each) => each.name === name);
  if (found) return found;
  const names = historyReadModels.map((each) => each.name).join(', ');
  throw invalid(`There is no read model ${name}; there are ${names}`);
};
