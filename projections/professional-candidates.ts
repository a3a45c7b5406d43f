import { closedWithPosting, type Candidate } from '../src/domain/candidate.ts';
import type { PostingFacts } from '../src/domain/posting.ts';
import type { Projection } from '../src/projection.ts';
import { defineCollection } from '../src/read-models/port.ts';
import { candidateHandlers } from './parts/candidates.ts';
import { fullName, peopleHandlers, peopleOf, phoneOf } from './parts/people.ts';
import { officeHandlers, officesOf, postingHandlers, postingsOf } from './parts/postings.ts';
import { viewOf, type Shown } from './parts/view.ts';

/** A candidate as the professional sees it (interface specification, 2.3). */
export interface ProfessionalCandidate extends Shown<Candidate> {
  readonly professionalId: string;
  readonly postingId: string;
  readonly officeId: string | null;
  readonly appliedAt: string;
  readonly professionalStatus: string;
  readonly row: {
    readonly id: string;
    readonly postingId: string;
    readonly professionalId: string;
    readonly professionalName: string | null;
    readonly professionalEmail: string | null;
    readonly professionalPhone: string | null;
    readonly resumeId: string;
    readonly appliedAt: string;
    readonly createdAt: string;
    readonly createdBy: string;
    readonly updatedAt: string;
    readonly updatedBy: string;
    readonly professionalStatusUpdatedAt: string;
    readonly hiringStatus: string;
    readonly officeStatus: string;
    readonly professionalStatus: string;
    readonly onsiteInterviewId: string | null;
    readonly isShortlisted: boolean;
    readonly postingDetails: {
      readonly id: string;
      readonly officeId: string | null;
      readonly officeName: string | null;
      readonly postingTitle: string | null;
      readonly professionType: string | null;
      readonly specialty: string | null;
      readonly state: string | null;
      readonly status: string | null;
      readonly subProfession: string | null;
      readonly salaryRange: PostingFacts['salaryRange'];
      readonly schedule: PostingFacts['schedule'];
    };
  };
}

const people = peopleOf('professional_candidates');
const postings = postingsOf('professional_candidates');
const offices = officesOf('professional_candidates');

export const candidatesOfProfessional = defineCollection<ProfessionalCandidate>({
  name: 'professional_candidates',
  partition: 'professionalId',
  columns: ['professionalId', 'postingId', 'officeId', 'appliedAt', 'professionalStatus'],
  indexes: [['professionalId', '-appliedAt', 'id'], ['postingId'], ['officeId']],
});

const view = viewOf<Candidate, ProfessionalCandidate>(
  candidatesOfProfessional,
  async (id, own, documents) => {
    const person = await documents.get(people.people, own.professionalId);
    const posting = await documents.get(postings, own.postingId);
    const facts = posting?.facts ?? null;
    const office = facts ? await documents.get(offices, facts.officeId) : undefined;
    const candidate = closedWithPosting(own, posting?.closing ?? null);
    const { postingId, professionalId, appliedAt, professionalStatus } = candidate;
    return {
      own,
      professionalId,
      postingId,
      officeId: facts?.officeId ?? null,
      appliedAt,
      professionalStatus,
      row: {
        id,
        postingId,
        professionalId,
        professionalName: person ? fullName(person) : null,
        professionalEmail: person?.profile.email ?? null,
        professionalPhone: person ? phoneOf(person) : null,
        resumeId: candidate.resumeId,
        appliedAt,
        createdAt: appliedAt,
        createdBy: candidate.createdBy,
        updatedAt: candidate.updatedAt,
        updatedBy: candidate.updatedBy,
        professionalStatusUpdatedAt: candidate.professionalStatusUpdatedAt,
        hiringStatus: candidate.hiringStatus,
        officeStatus: candidate.officeStatus,
        professionalStatus,
        onsiteInterviewId: candidate.interview?.id ?? null,
        isShortlisted: candidate.isShortlisted,
        postingDetails: {
          id: postingId,
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
        },
      },
    };
  },
);

/** The candidates that a professional submitted (interface specification, 4.7). */
export const professionalCandidates: Projection = {
  name: 'professional-candidates',
  version: 1,
  collections: [candidatesOfProfessional, people.people, people.phones, postings, offices],
  handlers: {
    ...candidateHandlers(view),
    ...peopleHandlers(people, (id, documents) => view.refreshAll('professionalId', id, documents)),
    ...postingHandlers(postings, (id, documents) => view.refreshAll('postingId', id, documents)),
    ...officeHandlers(offices, (id, documents) => view.refreshAll('officeId', id, documents)),
  },
};
