import type { Query } from '../src/application/query.ts';
import { getPostingCandidatesByAdmin } from './admin-posting-candidates.ts';
import { getJobNotificationSettings } from './job-notification-settings.ts';
import { getOffice } from './office.ts';
import { getPostingCandidate } from './posting-candidate.ts';
import { getPostingCandidates } from './posting-candidates.ts';
import { getPosting } from './posting.ts';
import { getProfessionalCandidate } from './professional-candidate.ts';
import { getProfessionalCandidates } from './professional-candidates.ts';
import { getProfessional } from './professional.ts';
import { getSavedPostings } from './saved-postings.ts';
import { getSpecialty } from './specialty.ts';

/** Every query; each is a GET route of the service. */
export const queries: readonly Query[] = [
  getPostingCandidates,
  getPostingCandidate,
  getPostingCandidatesByAdmin,
  getProfessionalCandidates,
  getProfessionalCandidate,
  getSavedPostings,
  getOffice,
  getPosting,
  getProfessional,
  getSpecialty,
  getJobNotificationSettings,
];
