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
import {
  hiringStatuses,
  officeStatuses,
  professionalStatuses,
  type CandidateOfficeStatus,
} from '../src/schema/vocabulary.ts';
import { createCandidateHandlersWithMoves, type StatusChange, type CandidateWithMoves } from './parts/candidates.ts';
import {
  fullName,
  defineProfessionalsCollection,
  defineUserPhonesCollection,
  createProfessionalHandlers,
} from './parts/professionals.ts';
import { definePostingsCollection, createPostingHandlers, type PostingDocument } from './parts/postings.ts';
import { createRowWriter } from './parts/rows.ts';
import { updateTabCounts, setOfficeOfTabs, postingTabsCollection } from './parts/posting-tabs.ts';

/** A candidate as the office and administrators see it (interface specification, 2.1, 2.2). */
export interface PostingCandidate {
  readonly candidate: CandidateWithClosing;
  /** Oldest first; undefined in a build of version 2, which is served until that of this version is there. */
  readonly moves?: readonly StatusChange[];
  /** Looked up from the posting and the professional. */
  readonly others: {
    readonly closing: PostingDocument['closing'];
    readonly email: string | null;
    readonly phone: string | null;
    readonly picture: string | null;
    readonly yearsOfExperience: number | null;
  };
  readonly postingId: string;
  readonly professionalId: string;
  readonly professionalName: string | null;
  readonly appliedAt: string;
  readonly updatedAt: string;
  readonly officeStatus: CandidateOfficeStatus;
  /** Places in the life cycle, to sort by. */
  readonly officeRank: number;
  readonly hiringRank: number;
  readonly professionalRank: number;
  readonly hired: number;
  readonly shortlisted: number;
}

export const professionalsCollection = defineProfessionalsCollection('posting_candidates');
const phones = defineUserPhonesCollection('posting_candidates');
const postingsCollection = definePostingsCollection('posting_candidates');

export const postingCandidatesCollection = defineCollection<PostingCandidate>({
  name: 'posting_candidates',
  partition: 'postingId',
  indexes: [['postingId'], ['professionalId']],
});

type Others = Pick<PostingCandidate, 'others' | 'professionalName'>;

const lookUp = (own: Candidate, documents: ProjectionDocuments): Others => {
  const posting = documents.get(postingsCollection, own.postingId);
  const professional = documents.get(professionalsCollection, own.professionalId);
  const others = {
    closing: posting?.closing ?? null,
    email: professional?.profile.email ?? null,
    phone: professional ? currentPhone(professional) : null,
    picture: professional?.profile.picture ?? null,
    yearsOfExperience: professional?.profile.yearsOfExperience ?? null,
  };
  return { others, professionalName: professional ? fullName(professional) : null };
};

const rows = createRowWriter<CandidateWithMoves, PostingCandidate>({
  collection: postingCandidatesCollection,
  ownOf: ({ candidate, moves = [] }) => ({ own: undoPostingClosing(candidate), moves }),
  render(_id, { own, moves }, documents, before) {
    const { others, professionalName } = before ?? lookUp(own, documents);
    const candidate = applyPostingClosing(own, others.closing);
    const { postingId, professionalId, appliedAt, updatedAt, officeStatus } = candidate;
    return {
      candidate,
      moves,
      others,
      postingId,
      professionalId,
      professionalName,
      appliedAt,
      updatedAt,
      officeStatus,
      officeRank: officeStatuses.indexOf(officeStatus),
      hiringRank: hiringStatuses.indexOf(candidate.hiringStatus),
      professionalRank: professionalStatuses.indexOf(candidate.professionalStatus),
      hired: officeStatus === 'hired' ? 1 : 0,
      shortlisted: candidate.isShortlisted ? 1 : 0,
    };
  },
  count(before, after, documents) {
    if (after) updateTabCounts(before?.officeStatus, after, documents);
  },
});
const refreshOfPosting = rows.refreshBy('postingId');

/** The candidates of a posting with its tabs, for its office and administrators (interface specification, 4.2, 4.4). */
export const postingCandidates: Projection<DomainEvent> = {
  name: 'posting-candidates',
  version: 3,
  collections: [
    postingTabsCollection,
    postingCandidatesCollection,
    professionalsCollection,
    phones,
    postingsCollection,
  ],
  shared: [postingTabsCollection, phones, postingsCollection],
  decode: decodeDomainEvent,
  handlers: {
    ...createCandidateHandlersWithMoves(rows),
    ...createProfessionalHandlers(professionalsCollection, phones, rows.refreshBy('professionalId')),
    ...createPostingHandlers(postingsCollection, (id, documents) => {
      // A closing leaves the office as it is.
      setOfficeOfTabs(id, documents.get(postingsCollection, id)?.facts?.officeId, documents);
      refreshOfPosting(id, documents);
    }),
  },
};
