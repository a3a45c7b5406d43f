import {
  undoPostingClosing,
  applyPostingClosing,
  type Candidate,
  type CandidateWithClosing,
} from '../src/domain/candidate.ts';
import { currentPhone } from '../src/domain/current-phone.ts';
import { decodeDomainEvent, type DomainEvent } from '../src/domain/index.ts';
import type { ProjectionDocuments, Projection } from '../src/projector/projection.ts';
import { defineCollection } from '../src/read-models/port.ts';
import type { PostingData, CandidateProfessionalStatus } from '../src/schema/vocabulary.ts';
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
import { createRowWriter } from './parts/rows.ts';

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
  readonly candidate: CandidateWithClosing;
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
  readonly professionalStatus: CandidateProfessionalStatus;
}

export const professionalsCollection = defineProfessionalsCollection('professional_candidates');
const phones = defineUserPhonesCollection('professional_candidates');
export const postingsCollection = definePostingsCollection('professional_candidates');
export const officesCollection = defineOfficesCollection('professional_candidates');

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

const lookUp = (own: Candidate, documents: ProjectionDocuments): Others => {
  const professional = documents.get(professionalsCollection, own.professionalId);
  const posting = documents.get(postingsCollection, own.postingId);
  const office = posting?.facts ? documents.get(officesCollection, posting.facts.officeId) : undefined;
  const others = {
    closing: posting?.closing ?? null,
    email: professional?.profile.email ?? null,
    phone: professional ? currentPhone(professional) : null,
    posting: postingDetailsOf(own.postingId, posting, office),
  };
  return { others, professionalName: professional ? fullName(professional) : null };
};

const rows = createRowWriter<CandidateWithMoves, ProfessionalCandidate>({
  collection: professionalCandidatesCollection,
  ownOf: ({ candidate, moves = [] }) => ({ own: undoPostingClosing(candidate), moves }),
  render(_id, { own, moves }, documents, before) {
    const { others, professionalName } = before ?? lookUp(own, documents);
    const candidate = applyPostingClosing(own, others.closing);
    const { postingId, professionalId, appliedAt, professionalStatus } = candidate;
    return { candidate, moves, others, postingId, professionalId, professionalName, appliedAt, professionalStatus };
  },
});
const refreshOfPosting = rows.refreshBy('postingId');

/** The candidates that a professional submitted (interface specification, 4.7). */
export const professionalCandidates: Projection<DomainEvent> = {
  name: 'professional-candidates',
  version: 3,
  collections: [
    professionalCandidatesCollection,
    professionalsCollection,
    phones,
    postingsCollection,
    officesCollection,
  ],
  shared: [phones, postingsCollection, officesCollection],
  decode: decodeDomainEvent,
  handlers: {
    ...createCandidateHandlersWithMoves(rows),
    ...createProfessionalHandlers(professionalsCollection, phones, rows.refreshBy('professionalId')),
    ...createPostingHandlers(postingsCollection, refreshOfPosting),
    ...createOfficeHandlers(officesCollection, postingsCollection, refreshOfPosting),
  },
};
