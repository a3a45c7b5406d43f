import { withoutClosing, withClosing, type Candidate, type ShownCandidate } from '../src/domain/candidate.ts';
import { currentPhone } from '../src/domain/current-phone.ts';
import { decodeDomainEvent, type DomainEvent } from '../src/domain/index.ts';
import type { Documents, Projection } from '../src/projector/projection.ts';
import { defineCollection } from '../src/read-models/port.ts';
import type { PostingData, ProfessionalStatus } from '../src/schema/vocabulary.ts';
import { createCandidateHandlersWithMoves, type StatusChange, type CandidateWithMoves } from './parts/candidates.ts';
import {
  fullName,
  defineProfessionalsCollection,
  defineUserPhonesCollection,
  createProfessionalHandlers,
} from './parts/professionals.ts';
import {
  defineOfficesCollection,
  definePostingsCollection,
  createOfficeHandlers,
  createPostingHandlers,
  type OfficeDocument,
  type PostingDocument,
} from './parts/postings.ts';
import { createRowRenderer } from './parts/rows.ts';

/** The posting as the professional sees it (interface specification, 2.3). */
interface PostingDetails {
  readonly id: string;
  readonly officeId: string | null;
  readonly officeName: string | null;
  readonly postingTitle: string | null;
  readonly professionType: string | null;
  readonly specialty: string | null;
  readonly state: string | null;
  readonly status: 'open' | 'closed' | null;
  readonly subProfession: string | null;
  readonly salaryRange: PostingData['salaryRange'];
  readonly schedule: PostingData['schedule'];
}

/** A candidate as the professional sees it (interface specification, 2.3). */
export interface ProfessionalCandidate {
  readonly candidate: ShownCandidate;
  /** Oldest first; undefined in a build of version 2, which is served until that of this version is there. */
  readonly moves?: readonly StatusChange[];
  /** Looked up from the posting and the professional. */
  readonly others: {
    readonly closing: PostingDocument['closing'];
    readonly email: string | null;
    readonly phone: string | null;
    readonly posting: PostingDetails;
  };
  readonly postingId: string;
  readonly professionalId: string;
  readonly professionalName: string | null;
  readonly appliedAt: string;
  readonly professionalStatus: ProfessionalStatus;
}

export const professionals = defineProfessionalsCollection('professional_candidates');
const phones = defineUserPhonesCollection('professional_candidates');
export const postings = definePostingsCollection('professional_candidates');
export const offices = defineOfficesCollection('professional_candidates');

export const professionalCandidatesCollection = defineCollection<ProfessionalCandidate>({
  name: 'professional_candidates',
  partition: 'professionalId',
  indexes: [['professionalId'], ['postingId']],
});

const postingDetailsOf = (
  id: string,
  posting: PostingDocument | undefined,
  office: OfficeDocument | undefined,
): PostingDetails => {
  const facts = posting?.facts;
  return {
    id,
    officeId: facts?.officeId ?? null,
    officeName: office?.facts.officeName ?? null,
    postingTitle: facts?.title ?? null,
    professionType: facts?.profession ?? null,
    specialty: facts?.specialty ?? null,
    state: facts?.state ?? null,
    status: posting ? (posting.closing ? 'closed' : 'open') : null,
    subProfession: facts?.subProfession ?? null,
    salaryRange: facts?.salaryRange ?? null,
    schedule: facts?.schedule ?? null,
  };
};

type Others = Pick<ProfessionalCandidate, 'others' | 'professionalName'>;

const lookUp = (own: Candidate, documents: Documents): Others => {
  const professional = documents.get(professionals, own.professionalId);
  const posting = documents.get(postings, own.postingId);
  const office = posting?.facts ? documents.get(offices, posting.facts.officeId) : undefined;
  const others = {
    closing: posting?.closing ?? null,
    email: professional?.profile.email ?? null,
    phone: professional ? currentPhone(professional) : null,
    posting: postingDetailsOf(own.postingId, posting, office),
  };
  return { others, professionalName: professional ? fullName(professional) : null };
};

const rows = createRowRenderer<CandidateWithMoves, ProfessionalCandidate>({
  collection: professionalCandidatesCollection,
  ownOf: ({ candidate, moves = [] }) => ({ own: withoutClosing(candidate), moves }),
  render(_id, { own, moves }, documents, before) {
    const { others, professionalName } = before ?? lookUp(own, documents);
    const candidate = withClosing(own, others.closing);
    const { postingId, professionalId, appliedAt, professionalStatus } = candidate;
    return { candidate, moves, others, postingId, professionalId, professionalName, appliedAt, professionalStatus };
  },
});
const refreshOfPosting = rows.refreshBy('postingId');

/** The candidates that a professional submitted (interface specification, 4.7). */
export const professionalCandidates: Projection<DomainEvent> = {
  name: 'professional-candidates',
  version: 3,
  collections: [professionalCandidatesCollection, professionals, phones, postings, offices],
  shared: [phones, postings, offices],
  decode: decodeDomainEvent,
  handlers: {
    ...createCandidateHandlersWithMoves(rows),
    ...createProfessionalHandlers(professionals, phones, rows.refreshBy('professionalId')),
    ...createPostingHandlers(postings, refreshOfPosting),
    ...createOfficeHandlers(offices, postings, refreshOfPosting),
  },
};
