import { expect } from 'chai';
import { bodies, claims, ids } from '../support/examples.ts';
import type { Answer, Service } from '../support/service.ts';
import { textAt } from './answer-rules.ts';
import { bearer, type CheckedService } from './checked-service.ts';

/** One-line steps for tests: facts that arrive, and acts of users. Each expects to succeed. */

type Change = Readonly<Record<string, unknown>>;
type Claims = Readonly<Record<string, unknown>>;

const done = ({ status, body }: Answer, ...wanted: readonly number[]): void => {
  expect(wanted, JSON.stringify(body)).to.include(status);
};

export const putOffice = async (service: Service, id: string = ids.office, change: Change = {}) =>
  done(await service.send('PUT', `/internal/offices/${id}`, { body: { ...bodies.office, ...change } }), 204);

export const putPosting = async (service: Service, id: string = ids.posting, change: Change = {}) =>
  done(await service.send('PUT', `/internal/postings/${id}`, { body: { ...bodies.posting, ...change } }), 204);

export const putProfessional = async (service: Service, id: string = ids.professional, change: Change = {}) =>
  done(
    await service.send('PUT', `/internal/professionals/${id}`, { body: { ...bodies.professional, ...change } }),
    204,
  );

export const putSpecialty = async (service: Service, id: string = ids.specialty, change: Change = {}) =>
  done(await service.send('PUT', `/internal/specialties/${id}`, { body: { ...bodies.specialty, ...change } }), 204);

export const closePosting = async (service: Service, id: string = ids.posting) =>
  done(await service.send('POST', `/internal/postings/${id}/close`), 204);

/** The office, the professional and the posting of the examples. */
export const putFacts = async (service: Service) => {
  await putOffice(service);
  await putProfessional(service);
  await putPosting(service);
};

/** The facts, a specialty, and an application of the professional to the posting; gives the candidate's id. */
export const putEverything = async (service: Service): Promise<string> => {
  await putFacts(service);
  await putSpecialty(service);
  return apply(service);
};

/** Applies to a posting and gives the candidate's id. */
export const apply = async (
  service: Service,
  professional: Claims = claims.professional,
  postingId: string = ids.posting,
): Promise<string> => {
  const headers = await bearer(professional);
  const answer = await service.send('POST', `/postings/${postingId}/candidates`, { headers, body: bodies.application });
  done(answer, 200, 201);
  return textAt(answer.body, 'id');
};

/** Moves or shortlists a candidate, as an administrator. */
export const change = async (service: Service, candidateId: string, body: Change, postingId: string = ids.posting) =>
  done(await service.send('PATCH', `/postings/${postingId}/candidates/${candidateId}`, { as: 'admin', body }), 204);

const onList = async (act: 'save' | 'unsave', service: Service, postingId: string, professional: Claims) => {
  const headers = await bearer(professional);
  done(await service.send('POST', `/professionals/postings/${act}`, { headers, body: { postingId } }), 200);
};
export const save = (service: Service, postingId: string = ids.posting, professional: Claims = claims.professional) =>
  onList('save', service, postingId, professional);
export const unsave = (service: Service, postingId: string = ids.posting, professional: Claims = claims.professional) =>
  onList('unsave', service, postingId, professional);

/** Goes through the multi-factor flow and gives its token. */
export const mfaToken = async (service: Service, user: Claims = claims.professional): Promise<string> => {
  const headers = await bearer(user);
  const flow = await service.send('POST', '/mfa/flows', { headers, body: { flow: 'phone_update_flow' } });
  done(flow, 201);
  const code = service.delivered.at(-1)?.code;
  const path = `/mfa/flows/${textAt(flow.body, 'flowId')}/challenges/otp_email`;
  const answer = await service.send('POST', path, { headers, body: { code } });
  done(answer, 200);
  return textAt(answer.body, 'token');
};

/** Answers a code sent to a number by SMS and gives the requestToken. */
export const requestToken = async (service: Service, phoneNumber: string): Promise<string> => {
  const issued = await service.send('POST', '/users/phone/codes', { as: 'professional', body: { phoneNumber } });
  done(issued, 202);
  const code = service.delivered.at(-1)?.code;
  const path = `/users/phone/codes/${textAt(issued.body, 'codeId')}/verify`;
  const answer = await service.send('POST', path, { as: 'professional', body: { code } });
  done(answer, 200);
  return textAt(answer.body, 'requestToken');
};

/** A wrong code. */
export const wrong = (code: string): string => String((Number(code) + 1) % 1_000_000).padStart(6, '0');

/** Does something that must append no event. */
export const unchanged = async (service: CheckedService, act: () => Promise<unknown>): Promise<void> => {
  const before = await service.head();
  await act();
  expect(await service.head(), 'something was written').to.equal(before);
};

/** People and postings of their own for one test, so that tests can share a service. */
export const createCast = (name: string | number) => {
  const [professional, user, office, posting] = [`pro-${name}`, `user-${name}`, `off-${name}`, `post-${name}`];
  return {
    ids: { professional, user, office, posting },
    professional: { sub: user, professional_id: professional },
    office: { sub: `staff-${name}`, office_id: office },
  };
};
export type Cast = ReturnType<typeof createCast>;

/** Records a cast's office, professional and posting. */
export const putCast = async (service: Service, { ids: { professional, user, office, posting } }: Cast) => {
  await putOffice(service, office);
  await putProfessional(service, professional, { userId: user });
  await putPosting(service, posting, { officeId: office });
};
