import { bodies, ids, phoneNumbers, type claims } from '../support/examples.ts';
import { candidateIdOf } from '../../src/domain/candidate.ts';

/** One valid request of every operation, for tests that hold for all of them. */
export interface Operation {
  /** The operationId. */
  readonly name: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  /** A user who may; undefined: an application of scope internal may. */
  readonly as?: keyof typeof claims;
  /** A user who may not; undefined where every user may. */
  readonly notAs?: keyof typeof claims;
  readonly body?: Readonly<Record<string, unknown>>;
  /** The Allow header of its path. */
  readonly allow: string;
}

const candidate = candidateIdOf(ids.posting, ids.professional);
const professional = { as: 'professional', notAs: 'nobody' } as const;
const office = { as: 'office', notAs: 'nobody' } as const;
const admin = { as: 'admin', notAs: 'office' } as const;

const ofUsers: readonly Operation[] = [
  {
    name: 'updatePhoneNumber',
    method: 'PATCH',
    path: '/users/phone',
    as: 'professional',
    body: { requestToken: 'x' },
    allow: 'PATCH',
  },
  {
    name: 'issuePhoneCode',
    method: 'POST',
    path: '/users/phone/codes',
    as: 'professional',
    body: { phoneNumber: phoneNumbers.wanted },
    allow: 'POST',
  },
  {
    name: 'verifyPhoneCode',
    method: 'POST',
    path: '/users/phone/codes/a-code/verify',
    as: 'professional',
    body: { code: '123456' },
    allow: 'POST',
  },
  {
    name: 'startMfaFlow',
    method: 'POST',
    path: '/mfa/flows',
    as: 'professional',
    body: { flow: 'phone_update_flow' },
    allow: 'POST',
  },
  {
    name: 'answerMfaChallenge',
    method: 'POST',
    path: '/mfa/flows/a-flow/challenges/otp_email',
    as: 'professional',
    body: { code: '123456' },
    allow: 'POST',
  },
  {
    name: 'postReview',
    method: 'POST',
    path: `/users/${ids.professional}/credentials/reviews`,
    ...office,
    body: bodies.review,
    allow: 'POST',
  },
];

const ofProfessionals: readonly Operation[] = [
  {
    name: 'savePosting',
    method: 'POST',
    path: '/professionals/postings/save',
    ...professional,
    body: { postingId: ids.posting },
    allow: 'POST',
  },
  {
    name: 'unsavePosting',
    method: 'POST',
    path: '/professionals/postings/unsave',
    ...professional,
    body: { postingId: ids.posting },
    allow: 'POST',
  },
  { name: 'getSavedPostings', method: 'GET', path: '/postings/saved', ...professional, allow: 'HEAD, GET' },
  {
    name: 'getProfessionalCandidates',
    method: 'GET',
    path: '/professionals/candidates?category=active',
    ...professional,
    allow: 'HEAD, GET',
  },
  {
    name: 'getProfessionalCandidate',
    method: 'GET',
    path: `/professionals/candidates/${candidate}`,
    ...professional,
    allow: 'HEAD, GET',
  },
];

const ofPostings: readonly Operation[] = [
  {
    name: 'applyToPosting',
    method: 'POST',
    path: `/postings/${ids.posting}/candidates`,
    ...professional,
    body: bodies.application,
    allow: 'HEAD, GET, POST',
  },
  {
    name: 'getPostingCandidates',
    method: 'GET',
    path: `/postings/${ids.posting}/candidates`,
    ...office,
    allow: 'HEAD, GET, POST',
  },
  {
    name: 'changeCandidate',
    method: 'PATCH',
    path: `/postings/${ids.posting}/candidates/${candidate}`,
    ...office,
    body: { isShortlisted: true },
    allow: 'HEAD, GET, PATCH',
  },
  {
    name: 'getPostingCandidate',
    method: 'GET',
    path: `/postings/${ids.posting}/candidates/${candidate}`,
    ...office,
    allow: 'HEAD, GET, PATCH',
  },
];

const specialty = `/admin/credentials/specialties/${ids.specialty}`;
const settings = `/admin/user/${ids.user}/job-notification-settings`;
const ofAdministrators: readonly Operation[] = [
  {
    name: 'getPostingCandidatesByAdmin',
    method: 'GET',
    path: `/admin/postings/${ids.posting}/candidates`,
    ...admin,
    allow: 'HEAD, GET',
  },
  {
    name: 'reorderProcedures',
    method: 'PATCH',
    path: `${specialty}/procedures/order`,
    ...admin,
    body: { procedure_ids: ['retainers', 'aligners', 'braces'] },
    allow: 'PATCH',
  },
  { name: 'getSpecialty', method: 'GET', path: specialty, ...admin, allow: 'HEAD, GET' },
  {
    name: 'setJobNotificationSettings',
    method: 'PUT',
    path: settings,
    ...admin,
    body: bodies.settings,
    allow: 'HEAD, GET, PUT',
  },
  { name: 'getJobNotificationSettings', method: 'GET', path: settings, ...admin, allow: 'HEAD, GET, PUT' },
];

const internal: readonly Operation[] = [
  {
    name: 'updateOnboardingStatus',
    method: 'PATCH',
    path: `/internal/professional-onboarding/${ids.professional}/status`,
    body: { status: 'verified' },
    allow: 'PATCH',
  },
  {
    name: 'recordOffice',
    method: 'PUT',
    path: `/internal/offices/${ids.office}`,
    body: bodies.office,
    allow: 'HEAD, GET, PUT',
  },
  { name: 'getOffice', method: 'GET', path: `/internal/offices/${ids.office}`, allow: 'HEAD, GET, PUT' },
  {
    name: 'recordProfessional',
    method: 'PUT',
    path: `/internal/professionals/${ids.professional}`,
    body: bodies.professional,
    allow: 'HEAD, GET, PUT',
  },
  {
    name: 'getProfessional',
    method: 'GET',
    path: `/internal/professionals/${ids.professional}`,
    allow: 'HEAD, GET, PUT',
  },
  {
    name: 'recordPosting',
    method: 'PUT',
    path: `/internal/postings/${ids.posting}`,
    body: bodies.posting,
    allow: 'HEAD, GET, PUT',
  },
  { name: 'getPosting', method: 'GET', path: `/internal/postings/${ids.posting}`, allow: 'HEAD, GET, PUT' },
  { name: 'closePosting', method: 'POST', path: `/internal/postings/${ids.posting}/close`, allow: 'POST' },
  {
    name: 'recordSpecialty',
    method: 'PUT',
    path: `/internal/specialties/${ids.specialty}`,
    body: bodies.specialty,
    allow: 'PUT',
  },
];

/** The projection that operators act on here. */
const confirm = 'saved-postings';
const operating = (name: string, act: string, body?: Readonly<Record<string, unknown>>): Operation => ({
  name,
  method: 'POST',
  path: `/admin/projections/${confirm}/${act}`,
  ...admin,
  ...(body && { body }),
  allow: 'POST',
});
const looking = (name: string, path = ''): Operation => ({
  name,
  method: 'GET',
  path: `/admin/projections${path}`,
  ...admin,
  allow: 'HEAD, GET',
});
/** The reads of operators. */
const looks = [looking('listProjections'), looking('planRebuild', `/${confirm}/plan`)];
const listActs: Operation = { name: 'listActs', method: 'GET', path: '/admin/audit', ...admin, allow: 'HEAD, GET' };
const asked = (name: string, path: string): Operation => ({
  name,
  method: 'GET',
  path: `/history/${path}`,
  as: 'analyst',
  notAs: 'office',
  allow: 'HEAD, GET',
});
/** Questions about the history that are answered with lines. */
export const answeredWithLines: readonly string[] = ['findEvents', 'getReadModelRows', 'runStatement'];
/** Questions about the history. */
export const questions: readonly Operation[] = [
  asked('getEventTypes', 'types'),
  asked('getEntityStory', `entities/posting/${ids.posting}`),
  asked('getReadModelAt', `read-models/posting-candidates/${ids.posting}`),
  asked('getReadModelDifference', `read-models/posting-candidates/${ids.posting}/difference?from=2026-03-02T09:00:00Z`),
  asked('explainReadModelRow', `read-models/professional-profiles/rows/${ids.professional}/explanation`),
  asked('findEvents', 'events'),
  asked('getReadModelRows', 'read-models/posting-candidates'),
  asked('makeReport', 'report'),
  asked('getMeasures', 'measures'),
  asked('answerMeasure', 'measures/hired?by=office'),
  {
    name: 'runStatement',
    method: 'POST',
    path: '/history/statements',
    as: 'analyst',
    notAs: 'office',
    body: { statement: 'SELECT 1 AS one' },
    allow: 'POST',
  },
];
/** Acts of operators: they change builds of projections, and append no event but those of the audit. */
export const acts: readonly Operation[] = [
  // First: there is nothing to go back to, until a rebuild has switched.
  operating('rollBackProjection', 'rollback', { confirm }),
  operating('rebuildProjection', 'rebuild', { confirm, throttle: 1_000, keepHours: 1, approve: false }),
  operating('verifyProjection', 'verify', { throttle: 1_000 }),
  operating('cancelBuilds', 'cancel', { confirm }),
  operating('pauseProjection', 'pause', { confirm }),
  operating('resumeProjection', 'resume'),
  operating('retryQuarantined', 'retry', { stream: 'office-x' }),
  operating('skipQuarantined', 'skip', { confirm, stream: 'office-x' }),
];

const webhook = '/internal/webhooks/webhook-1';
const both = { path: '/internal/webhooks', allow: 'HEAD, GET, POST' } as const;
const one = { path: webhook, allow: 'HEAD, GET, DELETE' } as const;
/** Operations of webhooks, which are refused where these are off. */
export const ofWebhooks: readonly Operation[] = [
  {
    name: 'subscribeWebhook',
    method: 'POST',
    ...both,
    body: { url: 'https://hooks.example.com/', types: ['OfficeRecorded'] },
  },
  { name: 'listWebhooks', method: 'GET', ...both },
  { name: 'getWebhook', method: 'GET', ...one },
  { name: 'unsubscribeWebhook', method: 'DELETE', ...one },
  { name: 'rotateWebhookSecret', method: 'POST', path: `${webhook}/rotate`, allow: 'POST' },
  { name: 'replayWebhook', method: 'POST', path: `${webhook}/replay`, body: { after: '0' }, allow: 'POST' },
  { name: 'listDeliveries', method: 'GET', path: `${webhook}/deliveries`, allow: 'HEAD, GET' },
  {
    name: 'includePersonalData',
    method: 'POST',
    path: '/admin/webhooks/back-office/webhook-1/personal-data',
    ...admin,
    body: { included: true },
    allow: 'POST',
  },
];

export const operations: readonly Operation[] = [
  ...ofUsers,
  ...ofProfessionals,
  ...ofPostings,
  ...ofAdministrators,
  ...internal,
  ...looks,
  listActs,
  ...acts,
  ...questions,
  ...ofWebhooks,
];

const isCommandOrQuery = (operation: Operation): boolean =>
  ![...looks, listActs, ...acts, ...questions, ...ofWebhooks].includes(operation);
/** The commands. */
export const writes = operations.filter((one) => one.method !== 'GET' && isCommandOrQuery(one));
/** The queries. */
export const reads = operations.filter((one) => one.method === 'GET' && isCommandOrQuery(one));

/** The arguments of `send` for the valid request of an operation. */
export const requestOf = ({ as, body }: Operation) => ({ ...(as ? { as } : {}), ...(body ? { body } : {}) });
