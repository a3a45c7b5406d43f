import fc from 'fast-check';
import { candidateDecider, candidateIdOf } from '../../src/domain/candidate.ts';
import type { NewEventsOf } from './new-events.ts';
import type { CandidateOfficeStatus } from '../../src/schema/vocabulary.ts';
import type { StreamHistory } from '../support/history.ts';
import { ids, streamArbitrary } from './streams.ts';

type CandidateEvent = NewEventsOf<typeof candidateDecider>;
type Wish = CandidateOfficeStatus | 'shortlist';

/** The moves that the decisions allow; scheduling again moves the interview. */
const allowed: Readonly<Record<CandidateOfficeStatus, readonly Wish[]>> = {
  applied: ['scheduled', 'interviewed', 'hired', 'rejected', 'shortlist'],
  scheduled: ['applied', 'scheduled', 'interviewed', 'hired', 'rejected', 'shortlist'],
  interviewed: ['scheduled', 'hired', 'rejected', 'shortlist'],
  hired: ['shortlist'],
  rejected: ['shortlist'],
};

interface Ids {
  readonly candidateId: string;
  readonly postingId: string;
  readonly professionalId: string;
}

/** What an office does with a candidate over time; skips the wishes that are not allowed. */
const lifeOf = (own: Ids, wishes: readonly Wish[]): CandidateEvent[] => {
  const events: CandidateEvent[] = [{ type: 'CandidateApplied', data: { ...own, resumeId: 'resume-1' } }];
  let status: CandidateOfficeStatus = 'applied';
  let interviews = 0;
  let isShortlisted = false;
  const interview = () => ({ ...own, interviewId: `interview-${interviews}` });
  const interviewAt = (number: number) => `2026-04-${String(number + 1).padStart(2, '0')}T10:00:00.000Z`;

  for (const [number, wish] of wishes.entries()) {
    if (!allowed[status].includes(wish)) continue;
    switch (wish) {
      case 'shortlist':
        isShortlisted = !isShortlisted;
        events.push({ type: 'CandidateShortlistChanged', data: { ...own, isShortlisted } });
        continue;
      case 'scheduled':
        if (status === 'scheduled') {
          events.push({ type: 'InterviewMoved', data: { ...interview(), interviewAt: interviewAt(number) } });
        } else {
          interviews++;
          events.push({ type: 'InterviewScheduled', data: { ...interview(), interviewAt: interviewAt(number) } });
        }
        break;
      case 'applied':
        events.push({ type: 'InterviewCancelled', data: interview() });
        break;
      case 'interviewed':
        if (status === 'applied') interviews++;
        events.push({ type: 'InterviewHeld', data: interview() });
        break;
      case 'hired':
        events.push({ type: 'CandidateHired', data: own });
        break;
      case 'rejected':
        events.push({ type: 'CandidateRejected', data: own });
        break;
    }
    status = wish;
  }
  return events;
};

const wish = fc.oneof(
  { arbitrary: fc.constantFrom<Wish[]>('scheduled', 'applied', 'interviewed', 'shortlist'), weight: 5 },
  { arbitrary: fc.constantFrom<Wish[]>('hired', 'rejected'), weight: 1 },
);

const places = ids.postings.flatMap((postingId) =>
  ids.professionals.map((professionalId) => ({ postingId, professionalId })),
);

/** Applications of some professionals to some postings. */
export const candidateStreams: fc.Arbitrary<StreamHistory[]> = fc.subarray(places).chain((chosen) =>
  fc.tuple(
    ...chosen.map(({ postingId, professionalId }) => {
      const candidateId = candidateIdOf(postingId, professionalId);
      const own = { candidateId, postingId, professionalId };
      return streamArbitrary(
        candidateDecider,
        candidateId,
        fc.array(wish, { maxLength: 6 }).map((wishes) => lifeOf(own, wishes)),
      );
    }),
  ),
);
