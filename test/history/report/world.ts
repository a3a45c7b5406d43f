import { candidateDecider } from '../../../src/domain/candidate.ts';
import { officeDecider } from '../../../src/domain/office.ts';
import { postingDecider } from '../../../src/domain/posting.ts';
import { professionalDecider } from '../../../src/domain/professional.ts';
import { savedPostingsDecider } from '../../../src/domain/saved-postings.ts';
import { bodies } from '../../support/examples.ts';
import { on, type Fact } from '../../support/facts.ts';

/** A day of March 2026, whose 2nd is a Monday, at ten o'clock. */
export const march = (day: number): string => `2026-03-${String(day).padStart(2, '0')}T10:00:00.000Z`;

const BOSTON = { latitude: '42.3601', longitude: '-71.0589', city: 'Boston', state: 'MA' };

/** In Austin, where nobody else is. */
const annsPlace = { latitude: 30.5083, longitude: -97.6789 };

const recordedOffice = (officeId: string, place: object): Fact =>
  on(officeDecider, officeId)(
    {
      type: 'OfficeRecorded',
      data: { officeId, ...bodies.office, address: [{ ...bodies.office.address[0], ...place }] },
    },
    { at: march(1) },
  );

const recordedPosting = (postingId: string, told: object): Fact =>
  on(postingDecider, postingId)(
    { type: 'PostingRecorded', data: { postingId, ...bodies.posting, ...told } },
    { at: march(1) },
  );

const recordedProfessional = (
  professionalId: string,
  place: { readonly latitude: number | null; readonly longitude: number | null },
): Fact =>
  on(professionalDecider, professionalId)(
    { type: 'ProfessionalRecorded', data: { professionalId, ...bodies.professional, ...place } },
    { at: march(1) },
  );

const saved = (professionalId: string, postingId: string, day: number): Fact =>
  on(savedPostingsDecider, professionalId)(
    { type: 'PostingSaved', data: { professionalId, postingId } },
    { at: march(day) },
  );

const applied = (candidateId: string, professionalId: string, postingId: string, day: number): Fact =>
  on(candidateDecider, candidateId)(
    { type: 'CandidateApplied', data: { candidateId, postingId, professionalId, resumeId: 'r' } },
    { at: march(day) },
  );

const c1 = { candidateId: 'c1', postingId: 'p1', professionalId: 'ann' };
const c2 = { candidateId: 'c2', postingId: 'p2', professionalId: 'bob' };

/**
 * Ann saves p1 in Austin, applies and is hired. Bob saves it too, but applies to p2 in Boston, and is rejected. Cat, of
 * whom no place is known, applies to p1, which is then closed, and to p2, where she waits.
 */
export const world: readonly Fact[] = [
  recordedOffice('bright', {}),
  recordedOffice('calm', BOSTON),
  recordedProfessional('ann', annsPlace),
  recordedProfessional('bob', { latitude: 42.37, longitude: -71.06 }),
  recordedProfessional('cat', { latitude: null, longitude: null }),
  recordedPosting('p1', { officeId: 'bright' }),
  recordedPosting('p2', { officeId: 'calm', profession: 'assistant', state: 'MA' }),
  saved('ann', 'p1', 2),
  saved('bob', 'p1', 2),
  applied('c1', 'ann', 'p1', 3),
  applied('c2', 'bob', 'p2', 4),
  on(candidateDecider, 'c1')(
    { type: 'InterviewScheduled', data: { ...c1, interviewId: 'i1', interviewAt: march(6) } },
    { at: march(4) },
  ),
  on(candidateDecider, 'c1')({ type: 'InterviewHeld', data: { ...c1, interviewId: 'i1' } }, { at: march(6) }),
  on(candidateDecider, 'c1')({ type: 'CandidateHired', data: c1 }, { at: march(9) }),
  on(candidateDecider, 'c2')({ type: 'CandidateRejected', data: c2 }, { at: march(9) }),
  applied('c3', 'cat', 'p1', 10),
  on(postingDecider, 'p1')({ type: 'PostingClosed', data: { postingId: 'p1' } }, { at: march(11) }),
  applied('c4', 'cat', 'p2', 12),
];

/** A road router measured Ann's way to p1. */
export const measured = (miles: number): Fact =>
  on(savedPostingsDecider, 'ann')(
    {
      type: 'CommuteMeasured',
      data: {
        professionalId: 'ann',
        postingId: 'p1',
        from: annsPlace,
        to: { latitude: 30.2672, longitude: -97.7431 },
        roadDistance: miles,
        eta: 'PT35M',
      },
    },
    { at: march(12) },
  );
