import { candidateDecider } from '../../src/domain/candidate.ts';
import { postingDecider } from '../../src/domain/posting.ts';
import { professionalDecider } from '../../src/domain/professional.ts';
import { specialtyDecider } from '../../src/domain/specialty.ts';
import { userDecider } from '../../src/domain/user.ts';
import { bodies, candidateIds, ids } from '../support/examples.ts';
import { on } from '../support/facts.ts';

/** Events that many examples begin with. */

export const toPosting = on(postingDecider, ids.posting);
export const postingKnown = toPosting({ type: 'PostingRecorded', data: { postingId: ids.posting, ...bodies.posting } });
export const postingClosed = toPosting({ type: 'PostingClosed', data: { postingId: ids.posting } });

export const toProfessional = on(professionalDecider, ids.professional);
export const professionalKnown = toProfessional({
  type: 'ProfessionalRecorded',
  data: { professionalId: ids.professional, ...bodies.professional },
});

export const toUser = on(userDecider, ids.user);
export const userNamed = toUser({
  type: 'UserNamedByProfessional',
  data: { userId: ids.user, professionalId: ids.professional },
});

export const toSpecialty = on(specialtyDecider, ids.specialty);
export const specialtyKnown = toSpecialty({
  type: 'SpecialtyRecorded',
  data: { specialtyId: ids.specialty, ...bodies.specialty },
});

export const toCandidate = on(candidateDecider, candidateIds.professional);
export const candidateFacts = {
  candidateId: candidateIds.professional,
  postingId: ids.posting,
  professionalId: ids.professional,
} as const;
export const applied = toCandidate(
  { type: 'CandidateApplied', data: { ...candidateFacts, resumeId: bodies.application.resumeId } },
  { by: ids.user },
);
