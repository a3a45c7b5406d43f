import { client } from './client.gen.js';
import * as service from './index.js';
import type { Tour } from './tour.js';

export const tour: Tour = async (baseUrl, { internal, professional, office }) => {
  client.setConfig({ baseUrl });
  const path = { postingId: 'posting-tour' };
  const facts = [
    await service.recordOffice({
      headers: internal,
      path: { id: 'office-tour' },
      body: {
        officeName: 'Tour Dental',
        address: [{ city: 'Austin', state: 'TX', latitude: '30.2672', longitude: '-97.7431' }],
      },
    }),
    await service.recordProfessional({
      headers: internal,
      path: { id: 'professional-tour' },
      body: {
        userId: 'user-tour',
        firstName: 'Ann',
        lastName: 'Lee',
        profession: 'hygienist',
        latitude: 30.5083,
        longitude: -97.6789,
      },
    }),
    await service.recordPosting({
      headers: internal,
      path: { id: 'posting-tour' },
      body: { officeId: 'office-tour', title: 'Dental hygienist, three days a week', profession: 'hygienist' },
    }),
  ];

  const writtenIn = ({ headers }: Response) => ({ 'Consistency-Token': headers.get('Consistency-Token') ?? '' });
  const saving = await service.savePosting({ headers: professional, body: { postingId: 'posting-tour' } });
  const saved = await service.getSavedPostings({ headers: { ...professional, ...writtenIn(saving.response) } });
  // Does not compile where the type of the member has no null.
  const none: Extract<service.SavedPosting['candidateStatus'], null> = null;
  const unapplied = saved.data?.data.find(({ id }) => id === 'posting-tour');

  const apply = () => service.applyToPosting({ headers: professional, path, body: { resumeId: 'resume-1' } });
  const first = await apply();
  const repeated = await apply();
  const candidateId = first.data?.id ?? '';

  const change = (body: service.ChangeCandidateRequest) =>
    service.changeCandidate({ headers: office, path: { postingId: 'posting-tour', candidateId }, body });
  const shortlisting = await change({ isShortlisted: true });
  const scheduling = await change({ officeStatus: 'scheduled', interviewAt: '2030-03-10T09:00:00-06:00' });
  const candidates = await service.getPostingCandidates({
    headers: { ...office, ...writtenIn(scheduling.response) },
    path,
  });

  const closing = await service.closePosting({ headers: internal, path: { id: 'posting-tour' } });
  const refused = await change({ officeStatus: 'hired' });
  const archived = await service.getProfessionalCandidates({
    headers: { ...professional, ...writtenIn(closing.response) },
    query: { category: 'archived' },
  });

  return {
    facts: facts.map(({ response }) => response.status),
    isUnapplied: unapplied?.candidateStatus === none,
    applications: [first.response.status, repeated.response.status],
    isSameCandidate: first.data?.id === repeated.data?.id,
    changes: [shortlisting.response.status, scheduling.response.status],
    officeStatus: candidates.data?.data.find(({ id }) => id === candidateId)?.officeStatus,
    tabs: candidates.data?.metadata.tabs.scheduled,
    refusal: [refused.response.status, refused.response.headers.get('Error-Code')],
    error: refused.error?.error,
    professionalStatus: archived.data?.data.find(({ id }) => id === candidateId)?.professionalStatus,
  };
};
