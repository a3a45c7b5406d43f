import { closedWithPosting, type Candidate } from '../src/domain/candidate.ts';
import type { Projection } from '../src/projection.ts';
import { defineCollection } from '../src/read-models/port.ts';
import {
  hiringStatuses,
  officeStatuses,
  professionalStatuses,
  type OfficeStatus,
} from '../src/vocabulary.ts';
import { candidateHandlers } from './parts/candidates.ts';
import { fullName, peopleHandlers, peopleOf, phoneOf } from './parts/people.ts';
import { postingHandlers, postingsOf } from './parts/postings.ts';
import { viewOf, type Shown } from './parts/view.ts';

/** A candidate of a posting with all that its owner or an administrator is shown (interface specification, 2.1, 2.2). */
export interface PostingCandidate extends Shown<Candidate> {
  readonly postingId: string;
  readonly professionalId: string;
  readonly appliedAt: string;
  readonly updatedAt: string;
  readonly professionalName: string | null;
  readonly officeStatus: OfficeStatus;
  /** Places in the life cycle, to sort by. */
  readonly officeRank: number;
  readonly hiringRank: number;
  readonly professionalRank: number;
  readonly hired: number;
  readonly shortlisted: number;
  readonly row: {
    readonly id: string;
    readonly postingId: string;
    readonly appliedAt: string;
    readonly createdAt: string;
    readonly createdBy: string;
    readonly updatedAt: string;
    readonly updatedBy: string;
    readonly hiringStatus: string;
    readonly officeStatus: string;
    readonly isShortlisted: boolean;
    readonly onsiteInterviewId: string | null;
    readonly professionalId: string;
    readonly professionalName: string | null;
    readonly professionalEmail: string | null;
    readonly professionalPhone: string | null;
    readonly professionalPicture: string | null;
    readonly professionalStatus: string;
    readonly yearsOfExperience: number | null;
  };
}

const people = peopleOf('posting_candidates');
const postings = postingsOf('posting_candidates');

export const candidatesOfPosting = defineCollection<PostingCandidate>({
  name: 'posting_candidates',
  partition: 'postingId',
  columns: [
    'postingId',
    'professionalId',
    'appliedAt',
    'updatedAt',
    'professionalName',
    'officeStatus',
    'officeRank',
    'hiringRank',
    'professionalRank',
    'hired',
    'shortlisted',
  ],
  searched: ['professionalName'],
  indexes: [
    ['postingId', '-shortlisted', '-appliedAt', 'id'],
    ['postingId', '-appliedAt', 'id'],
    ['postingId', 'officeRank', '-appliedAt', 'id'],
    ['postingId', '-updatedAt', '-appliedAt', 'id'],
    ['professionalId'],
  ],
});

const view = viewOf<Candidate, PostingCandidate>(candidatesOfPosting, async (id, own, documents) => {
  const posting = await documents.get(postings, own.postingId);
  const person = await documents.get(people.people, own.professionalId);
  const candidate = closedWithPosting(own, posting?.closing ?? null);
  const { postingId, professionalId, appliedAt, updatedAt, officeStatus, hiringStatus, professionalStatus } =
    candidate;
  const professionalName = person ? fullName(person) : null;
  return {
    own,
    postingId,
    professionalId,
    appliedAt,
    updatedAt,
    professionalName,
    officeStatus,
    officeRank: officeStatuses.indexOf(officeStatus),
    hiringRank: hiringStatuses.indexOf(hiringStatus),
    professionalRank: professionalStatuses.indexOf(professionalStatus),
    hired: officeStatus === 'hired' ? 1 : 0,
    shortlisted: candidate.isShortlisted ? 1 : 0,
    row: {
      id,
      postingId,
      appliedAt,
      createdAt: appliedAt,
      createdBy: candidate.createdBy,
      updatedAt,
      updatedBy: candidate.updatedBy,
      hiringStatus,
      officeStatus,
      isShortlisted: candidate.isShortlisted,
      onsiteInterviewId: candidate.interview?.id ?? null,
      professionalId,
      professionalName,
      professionalEmail: person?.profile.email ?? null,
      professionalPhone: person ? phoneOf(person) : null,
      professionalPicture: person?.profile.picture ?? null,
      professionalStatus,
      yearsOfExperience: person?.profile.yearsOfExperience ?? null,
    },
  };
});

/** The candidates of a posting, for its owner and for administrators (interface specification, 4.2 and 4.4). */
export const postingCandidates: Projection = {
  name: 'posting-candidates',
  version: 1,
  collections: [candidatesOfPosting, people.people, people.phones, postings],
  handlers: {
    ...candidateHandlers(view),
    ...peopleHandlers(people, (id, documents) => view.refreshAll('professionalId', id, documents)),
    ...postingHandlers(postings, (id, documents) => view.refreshAll('postingId', id, documents)),
  },
};
