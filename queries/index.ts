import type { Query } from '../src/query-handling/query.ts';
import { getPostingCandidatesByAdmin } from './admin-posting-candidates.ts';
import { getJobNotificationSettings } from './job-notification-settings.ts';
import { getPostingCandidates } from './posting-candidates.ts';
import { getProfessionalCandidates } from './professional-candidates.ts';
import { getProfessional } from './professional.ts';
import { getSavedPostings } from './saved-postings.ts';
import { getSpecialty } from './specialty.ts';

/** Every query; each is a GET route of the service. */
export const queries: readonly Query[] = [
  getPostingCandidates,
  getPostingCandidatesByAdmin,
  getProfessionalCandidates,
  getSavedPostings,
  getProfessional,
  getSpecialty,
  getJobNotificationSettings,
];
