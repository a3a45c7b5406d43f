import type { Projection } from '../src/projector/projection.ts';
import { entityStreams } from './entity-streams.ts';
import { postingCandidates } from './posting-candidates.ts';
import { professionalCandidates } from './professional-candidates.ts';
import { professionalProfiles } from './professional-profiles.ts';
import { savedPostings } from './saved-postings.ts';
import { specialties } from './specialties.ts';

/** Every projection; the service keeps each of them up to date. */
export const projections: readonly Projection[] = [
  postingCandidates,
  professionalCandidates,
  savedPostings,
  professionalProfiles,
  specialties,
  entityStreams,
];
