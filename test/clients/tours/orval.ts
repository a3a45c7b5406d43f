import * as service from './api.js';
import type { Tour } from './tour.js';

// The address is in the generated client.
export const tour: Tour = async (_baseUrl, { internal, professional, office }) => {
  const facts = [
    await service.recordOffice(
      'office-tour',
      {
        officeName: 'Tour Dental',
        address: [{ city: 'Austin', state: 'TX', latitude: '30.2672', longitude: '-97.7431' }],
      },
      { headers: internal },
    ),
    await service.recordProfessional(
      'professional-tour',
      {
        userId: 'user-tour',
        firstName: 'Ann',
        lastName: 'Lee',
        profession: 'hygienist',
        latitude: 30.5083,
        longitude: -97.6789,
      },
      { headers: internal },
    ),
    await service.recordPosting(
      'posting-tour',
      { officeId: 'office-tour', title: 'Dental hygienist, three days a week', profession: 'hygienist' },
      { headers: internal },
    ),
  ];

  const writtenIn = ({ headers }: { headers: Headers }) => ({
    'Consistency-Token': headers.get('Consistency-Token') ?? '',
  });
  const saving = await service.savePosting({ postingId: 'posting-tour' }, { headers: professional });
  const saved = await service.getSavedPostings(undefined, { headers: { ...professional, ...writtenIn(saving) } });
  // Does not compile where the type of the member has no null.
  const none: Extract<service.SavedPosting['candidateStatus'], null> = null;
  const postings = saved.status === 200 ? saved.data.data : [];

  const apply = () => service.applyToPosting('posting-tour', { resumeId: 'resume-1' }, { headers: professional });
  const [first, repeated] = [await apply(), await apply()];
  const idIn = (answer: service.applyToPostingResponse) =>
    answer.status === 200 || answer.status === 201 ? answer.data.id : '';
  const candidateId = idIn(first);

  const change = (body: service.ChangeCandidateRequest) =>
    service.changeCandidate('posting-tour', candidateId, body, { headers: office });
  const shortlisting = await change({ isShortlisted: true });
  const scheduling = await change({ officeStatus: 'scheduled', interviewAt: '2030-03-10T09:00:00-06:00' });
  const candidates = await service.getPostingCandidates('posting-tour', undefined, {
    headers: { ...office, ...writtenIn(scheduling) },
  });

  const closing = await service.closePosting('posting-tour', { headers: internal });
  const refused = await change({ officeStatus: 'hired' });
  const archived = await service.getProfessionalCandidates(
    { category: 'archived' },
    { headers: { ...professional, ...writtenIn(closing) } },
  );

  return {
    facts: facts.map(({ status }) => status),
    isUnapplied: postings.find(({ id }) => id === 'posting-tour')?.candidateStatus === none,
    applications: [first.status, repeated.status],
    isSameCandidate: idIn(first) === idIn(repeated),
    changes: [shortlisting.status, scheduling.status],
    officeStatus:
      candidates.status === 200 ? candidates.data.data.find(({ id }) => id === candidateId)?.officeStatus : undefined,
    tabs: candidates.status === 200 ? candidates.data.metadata.tabs.scheduled : undefined,
    refusal: [refused.status, refused.headers.get('Error-Code')],
    error: refused.status === 409 ? refused.data.error : undefined,
    professionalStatus:
      archived.status === 200 ? archived.data.data.find(({ id }) => id === candidateId)?.professionalStatus : undefined,
  };
};
