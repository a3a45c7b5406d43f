import createClient from 'openapi-fetch';
import type { components, paths } from './api.js';
import type { Tour } from './tour.js';

export const tour: Tour = async (baseUrl, { internal, professional, office }) => {
  const client = createClient<paths>({ baseUrl });
  const posting = { path: { postingId: 'posting-tour' } };
  const facts = [
    await client.PUT('/internal/offices/{id}', {
      headers: internal,
      params: { path: { id: 'office-tour' } },
      body: {
        officeName: 'Tour Dental',
        address: [{ city: 'Austin', state: 'TX', latitude: '30.2672', longitude: '-97.7431' }],
      },
    }),
    await client.PUT('/internal/professionals/{id}', {
      headers: internal,
      params: { path: { id: 'professional-tour' } },
      body: {
        userId: 'user-tour',
        firstName: 'Ann',
        lastName: 'Lee',
        profession: 'hygienist',
        latitude: 30.5083,
        longitude: -97.6789,
      },
    }),
    await client.PUT('/internal/postings/{id}', {
      headers: internal,
      params: { path: { id: 'posting-tour' } },
      body: { officeId: 'office-tour', title: 'Dental hygienist, three days a week', profession: 'hygienist' },
    }),
  ];

  const writtenIn = ({ headers }: Response) => ({ 'Consistency-Token': headers.get('Consistency-Token') ?? '' });
  const saving = await client.POST('/professionals/postings/save', {
    headers: professional,
    body: { postingId: 'posting-tour' },
  });
  const saved = await client.GET('/postings/saved', {
    headers: professional,
    params: { header: writtenIn(saving.response) },
  });
  // Does not compile where the type of the member has no null.
  const none: Extract<components['schemas']['SavedPosting']['candidateStatus'], null> = null;
  const unapplied = saved.data?.data.find(({ id }) => id === 'posting-tour');

  const apply = () =>
    client.POST('/postings/{postingId}/candidates', {
      headers: professional,
      params: posting,
      body: { resumeId: 'resume-1' },
    });
  const first = await apply();
  const repeated = await apply();
  const candidateId = first.data?.id ?? '';

  const change = (body: components['schemas']['ChangeCandidateRequest']) =>
    client.PATCH('/postings/{postingId}/candidates/{candidateId}', {
      headers: office,
      params: { path: { postingId: 'posting-tour', candidateId } },
      body,
    });
  const shortlisting = await change({ isShortlisted: true });
  const scheduling = await change({ officeStatus: 'scheduled', interviewAt: '2030-03-10T09:00:00-06:00' });
  const candidates = await client.GET('/postings/{postingId}/candidates', {
    headers: office,
    params: { ...posting, header: writtenIn(scheduling.response) },
  });

  const closing = await client.POST('/internal/postings/{id}/close', {
    headers: internal,
    params: { path: { id: 'posting-tour' } },
  });
  const refused = await change({ officeStatus: 'hired' });
  const archived = await client.GET('/professionals/candidates', {
    headers: professional,
    params: { query: { category: 'archived' }, header: writtenIn(closing.response) },
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
