import { isObject } from '../schema/json.ts';

/**
 * The values of examples: what requests.http sends to the demo, and what the demo answers. A test validates every
 * example and compares it with requests.http.
 */

const officeId = 'office-1';
const professionalId = 'professional-1';
const userId = 'user-1';
const postingId = 'posting-1';
const specialtyId = 'specialty-1';
const candidateId = 'b568d80b-7ba0-5a28-b043-2f4eb285c550';
const projection = 'saved-postings';
const build = 'saved-postings@2.1';
const stream = `candidate-${candidateId}`;
const eventId = '01a2224d-4d35-7752-8a1e-dac613dd81af';
const requestId = '01a2224d-4d32-70dd-b4fc-e647dece4529';
const position = '0000000000001400';
const token = '01a2224d-791c-76b6-a511-a1a7a41a44c7.ZndCsWp5MI82NlJOBCzFdOuM6Jce945dnRLhOozgL0o';
const webhookId = '01a2224d-8c11-7d02-9a57-3b1f6c0e4d28';
const later = '2030-03-10T15:00:00.000Z';
const row = { id: candidateId, professionalId, officeStatus: 'scheduled', isShortlisted: true };

const procedures = [
  { id: 'braces', name: 'Braces' },
  { id: 'aligners', name: 'Clear aligners' },
];

/** By member or parameter; undefined for a member that is left out. */
type Values = Readonly<Record<string, unknown>>;

const etag = '"QMH7zOOof54xxICZKxeRatjVsrRap1wlEuZZaJEjAAc"';

export const exampleValues: Values = {
  'Consistency-Token': position,
  'Personal-Data-Reason': 'A candidate asked what is stored',
  'Idempotency-Key': 'apply-1',
  'If-Match': etag,
  'If-None-Match': etag,
  'X-Service-MFA-Token': token,
  actor: userId,
  after: position,
  all: 1,
  applied: 0,
  at: '2026-03-01',
  benefits: ['Health insurance'],
  benefitsOther: 'Free parking',
  bestInDentalYears: [2023, 2024],
  build,
  by: 'admin-1',
  category: 'active',
  city: 'Austin',
  code: '123456',
  codeId: '01a2224d-6106-74cb-8b57-cabe17086fdb',
  codeVersion: 1,
  collection: 'postings',
  confirm: projection,
  correlationId: requestId,
  count: 1,
  createdBy: userId,
  description: 'A calm practice near the river.',
  detail: build,
  distance: 17.09,
  email: 'ann.lee@example.com',
  employee: false,
  endorsed: ['prophylaxis'],
  entity: `posting:${postingId}`,
  expectedDays: [1, 3, 5],
  firstName: 'Ann',
  flowId: '01a2224d-791c-76b6-a511-a1a7a41a44c7',
  follow: false,
  formattedAddress: '500 Congress Ave, Austin, TX 78701',
  from: '2026-03-01',
  hired: 0,
  holder: 'instance-1',
  insurances: ['Delta Dental'],
  interviewAt: later,
  interviewed: 0,
  isDso: false,
  isInfoAsked: false,
  jobID: postingId,
  keepHours: 24,
  kind: 'posting',
  lagEvents: 0,
  lastName: 'Lee',
  latitude: 30.5083,
  limit: 10,
  live: build,
  longitude: -97.6789,
  max: 55,
  member: 'officeStatus',
  min: 45,
  name: 'lee',
  of: 1_400,
  officeId,
  officeName: 'Bright Smiles',
  officeRating: 4.5,
  officeStatus: 'scheduled',
  officeType: 'private',
  onsiteInterviewId: '01a2224d-4daa-71ac-84da-2c4321068cc4',
  onsiteInterviewsCount: 1,
  operation: 'rebuildProjection',
  orderBy: 'createdAt',
  page: 1,
  parameters: { name: projection, throttle: 100 },
  pageSize: 15,
  partition: postingId,
  patientsPerHour: '1',
  patientsPerHourDa: '2',
  patientsPerHourDn: '3',
  payType: 'hourly',
  perSecond: 100,
  phase: 'completed',
  phone: '+15125550123',
  phoneNumber: '+15125550188',
  picture: 'https://example.com/ann.png',
  position,
  postalCode: '78701',
  postingId,
  postingTitle: 'Dental hygienist, three days a week',
  procedure_ids: ['aligners', 'braces'],
  procedures: ['prophylaxis'],
  profession: 'hygienist',
  professionName: 'Dental Hygienist',
  professionType: 'hygienist',
  professionalEmail: 'ann.lee@example.com',
  professionalId,
  professionalName: 'Ann Lee',
  professionalPhone: '+15125550123',
  professionalPicture: 'https://example.com/ann.png',
  projection,
  readModel: 'posting-candidates',
  reason: 'No upcaster reads its version',
  recordedAt: '2026-03-01T09:30:00.000Z',
  rejected: 0,
  renounced: ['scaling'],
  requestId,
  requestToken: '01a2224d-6106-74cb-8b57-cabe17086fdb.c-U66HR3rl6c6TBGSIpIEiQSXjTRkoadyv2BvCy2ICY',
  resumeId: 'resume-1',
  revision: 2,
  roadDistance: 22.22,
  saturday: false,
  scheduled: 1,
  sentTo: 'a***@example.com',
  since: '2026-03-01T00:00:00Z',
  softwares: ['Dentrix'],
  sortBy: 'professionalName',
  specialty: 'general',
  stack: 'Error: The document cannot be written',
  state: 'TX',
  status: 'scheduled',
  stoppedBy: 'admin-1',
  stream,
  subProfession: 'rdh',
  subProfessionName: 'Registered Dental Hygienist',
  sunday: false,
  throttle: 100,
  timeZone: 'America/Denver',
  timePerPatientDA: '30',
  timePerPatientDN: '45',
  timePerPatientRDH: '60',
  title: 'Dental hygienist, three days a week',
  to: '2026-04-01',
  token,
  total: 1,
  type: 'InterviewScheduled',
  types: ['OfficeRecorded', 'PostingClosed'],
  uncompared: 0,
  unreadable: undefined,
  upTo: position,
  updatedBy: 'office-user-1',
  url: 'http://127.0.0.1:9000/hooks',
  userId,
  version: 1,
  waitingStreams: 0,
  webhookId,
  wednesday: false,
  where: [`data.postingId=${postingId}`],
  withheld: [],
  within100MilesCount: 1,
  within150MilesCount: 1,
  within200MilesCount: 1,
  within50MilesCount: 1,
  yearly: 90_000,
  yearsOfExperience: 7,
};

const candidate: Values = { id: candidateId };
const event: Values = { id: eventId, actor: 'office-user-1' };
const history: Values = { at: '2026-03-01T00:00:00.000Z', code: '0.1.0', projection: 'posting-candidates@3' };

const measure: Values = {
  name: 'applications',
  meaning: 'How many applications were made.',
  unit: 'count',
  sql: 'SELECT count(*) AS applications, count(*) AS "rows"\nFROM applications LEFT JOIN offices USING (office_id)\nWHERE applied_at IS NOT NULL',
};

/** By type or operation, for its members or parameters. */
const examplesByType: Readonly<Record<string, Values>> = {
  Act: { id: eventId, actor: 'admin-1' },
  AddedRow: { ...candidate, after: row },
  Address: { latitude: '30.2672', longitude: '-97.7431' },
  AdminPostingCandidate: candidate,
  AnswerMeasure: { by: 'office', cohort: 'month' },
  ApplyToPostingResponse: candidate,
  Build: { id: build, state: 'live', step: 'ready' },
  Candidate: candidate,
  CandidateDetails: candidate,
  BuildProgress: { events: 700 },
  Cause: event,
  Delivery: {
    eventId,
    type: 'PostingClosed',
    entity: `posting-${postingId}`,
    at: '2026-03-01T09:30:00.000Z',
    status: 204,
    failure: null,
    milliseconds: 12,
  },
  DocumentDifference: { id: `${professionalId}/${postingId}` },
  EntityEvent: event,
  EntityStory: { ...history, id: postingId },
  EventTypes: history,
  EventType: { events: 301 },
  ExplainedMember: { value: 'scheduled' },
  FindEvents: { type: ['InterviewScheduled'] },
  FollowProjectionsResponse: {
    '': `event: build\ndata: ${JSON.stringify({ projection, build, step: 'build', events: 700, of: 1_400, perSecond: 100, secondsLeft: 7 })}\n\n`,
  },
  GetPostingCandidatesByAdmin: { status: 'applied,scheduled' },
  GetReadModelRowsResponse: { line: { ...row, postingId } },
  MakeReportResponse: { '': '<!doctype html>\n<title>What happened between saves and hires</title>\n' },
  Measure: { ...measure, groupings: ['office', 'profession'] },
  Measures: history,
  MeasureAnswer: { ...history, ...measure, by: null, cohort: null, rows: [{ applications: 12, rows: 12 }] },
  MemberChange: { from: 'applied', to: 'scheduled' },
  Moment: history,
  MemberDifference: { path: 'title', live: '"Dental hygienist"', built: '"Dental hygienist, three days a week"' },
  OfferOwner: { id: officeId },
  NewWebhook: { id: webhookId, secret: 'whsec_iy1SzL8egPrMTuG/5+tlaQ47/nPpKcfHYN6XbdNeUcQ=' },
  Office: { id: officeId },
  Onboarding: { status: 'verified' },
  ParkedStream: { error: 'The document cannot be written' },
  Posting: { id: postingId, status: 'open' },
  PostingCandidate: candidate,
  PostingCandidateDetails: candidate,
  PostingDetails: { id: postingId, status: 'open' },
  Professional: { id: professionalId },
  Projection: { name: projection },
  ReadModelAt: {
    ...history,
    rows: [row],
    beside: { metadata: { tabs: { all: 1, applied: 0, scheduled: 1, interviewed: 0, hired: 0, rejected: 0 } } },
  },
  ReadModelDifference: history,
  RebuildPlan: { events: 1_400, seconds: 14 },
  RebuildProjectionRequest: { approve: undefined, tolerant: undefined },
  RecordOfficeRequestAddressItem: { latitude: '30.2672', longitude: '-97.7431' },
  RecordPostingRequestSchedule: { type: 'part-time' },
  RecordSpecialtyRequest: { name: 'Orthodontics', procedures },
  RecordedEvent: { ...event, data: { candidateId, postingId, professionalId, interviewAt: later } },
  ReplayWebhookRequest: { after: '0' },
  ReviewCounts: { endorsed: { prophylaxis: 1 }, renounced: { scaling: 1 } },
  RollBackProjectionRequest: { to: build },
  RotatedWebhook: { id: webhookId, secret: 'whsec_6sKxQ7Haa3twVuOWJV8iB5NaXpNE/GeWqQVWAW3gvCc=' },
  RowExplanation: { ...history, ...candidate },
  RunStatementRequest: {
    statement: 'SELECT type, count(*) AS events FROM events GROUP BY type ORDER BY type',
    upTo: undefined,
  },
  RunStatementResponse: {
    line: { type: 'CandidateApplied', events: 12 },
    '': 'type,events\r\nCandidateApplied,12\r\n',
  },
  SavedPosting: { id: postingId },
  Schedule: { type: 'part-time' },
  Service: { instance: 'hiring-1:4711', status: 'ready', reason: null, head: position },
  ServiceDisk: { freeBytes: 52_000_000_000, totalBytes: 100_000_000_000 },
  ServiceThread: { name: 'writer' },
  LastBackup: { actor: 'os:ada' },
  Specialty: { id: specialtyId, name: 'Orthodontics', procedures },
  SubscribeWebhookRequest: {
    url: 'http://127.0.0.1:9000/hooks?token=secret',
    types: ['OfficeRecorded', 'PostingClosed'],
  },
  // With the token of a flow, in a header; otherwise the requestToken of a code is needed.
  UpdatePhoneNumberRequest: { phoneNumber: '+15125550199', requestToken: undefined },
  UpdateOnboardingStatusRequest: { status: 'verified' },
  Verification: { live: 1, built: 1, liveHash: '0', builtHash: '0' },
  Webhook: { id: webhookId, secretRotatedAt: null, waiting: 0, parked: 0, stopped: null },
};

/** The messages of refusals, by status. */
export const errorMessageExamples: Readonly<Record<number, string>> = {
  400: 'body/postingId is required',
  401: 'The bearer token is not valid, or no longer',
  403: 'The token names no role admin',
  404: 'No posting has the id in path/postingId',
  406: 'The Accept header must allow application/json',
  408: 'The request did not arrive in time',
  409: 'The posting is closed, and so is the candidate',
  412: 'The header If-None-Match names what is there',
  413: 'body must be at most 100 KiB',
  414: 'The URL of the request must be at most 8192 bytes',
  415: 'The Content-Type must be application/json',
  417: 'The header Expect must be 100-continue, or not there',
  422: 'The Idempotency-Key was used with another request',
  429: 'Too many requests',
  431: 'The head of the request is too large',
  500: 'Internal error',
  503: 'The read models are being built',
};

/** Description and example of a parameter in a path, by the segment before it, or by both. */
export const pathParameterDocs: Readonly<Record<string, readonly [description: string, example: string]>> = {
  builds: ['The id of the build.', build],
  candidates: ['The candidate.', candidateId],
  codes: ['The id of the one-time code, from the answer that issued it.', String(exampleValues['codeId'])],
  entities: ['The kind of entity.', 'posting'],
  ':kind': ['The entity.', postingId],
  flows: ['The id of the flow, from the answer that started it.', String(exampleValues['flowId'])],
  measures: ['The name of the measure.', 'applications'],
  offices: ['The office.', officeId],
  postings: ['The posting.', postingId],
  'professional-onboarding': ['The professional.', professionalId],
  professionals: ['The professional.', professionalId],
  projections: ['The name of the projection.', projection],
  'read-models': ['The read model.', 'posting-candidates'],
  ':key': ['The webhook.', webhookId],
  ':readModel': ['The posting, professional, or other entity that the rows belong to.', postingId],
  rows: ['The id of the row; of a saved posting `<professional>/<posting>`, with %2F for the slash.', candidateId],
  specialties: ['The specialty.', specialtyId],
  user: ['The user.', userId],
  users: ['The professional.', professionalId],
  webhooks: ['The id of the webhook, from the answer that subscribed it.', webhookId],
  'webhooks/:key': ['The name of the API key that subscribed it.', 'demo-internal'],
};

/** Descriptions of query parameters whose schema has none. */
export const queryParameterDescriptions: Readonly<Record<string, string>> = {
  category: 'Whether active candidates are listed, or archived ones, which have come to their end.',
  orderBy: 'What the list is ordered by.',
  orderDirection: 'Descending, which is the default, or ascending.',
  page: 'The page, from 1.',
  pageSize: 'The most rows of a page.',
  sortBy: 'What the list is ordered by.',
  sortOrder: 'Descending, which is the default, or ascending.',
  status: 'Only candidates of this status.',
};

const referenced = (schema: Readonly<Record<string, unknown>>): string | undefined =>
  typeof schema['$ref'] === 'string' ? schema['$ref'].replace(/^.*\//, '') : undefined;

/**
 * Makes the function that composes the example of a described schema.
 *
 * @param types the types that references name
 */
export const createExampleComposer = (types: Values) => {
  /** @throws Error for a value that has no example */
  const exampleOf = (schema: unknown, holder: string, member: string): unknown => {
    if (!isObject(schema)) throw new Error('A schema is an object');
    if ('const' in schema) return schema['const'];
    if ('contentSchema' in schema) return `${JSON.stringify(exampleOf(schema['contentSchema'], holder, 'line'))}\n`;
    const own = examplesByType[holder] ?? {};
    if (Object.hasOwn(own, member)) return own[member];
    const { anyOf, oneOf = anyOf, default: usual, enum: words, examples, items, properties, type } = schema;
    if (Array.isArray(examples)) return examples[0];
    if (Array.isArray(oneOf)) return exampleOf(oneOf[0], holder, member);
    if (isObject(properties)) {
      const members = Object.entries(properties).map(([key, value]) => [key, exampleOf(value, holder, key)]);
      return Object.fromEntries(members.filter(([, value]) => value !== undefined));
    }
    const name = referenced(schema);
    const named = name === undefined ? undefined : types[name];
    if (isObject(named) && !('enum' in named)) return exampleOf(named, name ?? '', '');
    if (isObject(items) && '$ref' in items) return [exampleOf(items, holder, member)];
    if (Object.hasOwn(exampleValues, member)) return exampleValues[member];
    if (named !== undefined) return exampleOf(named, holder, member);
    if (Array.isArray(words)) return words[0];
    if (usual !== undefined) return usual;
    if ([type].flat().includes('boolean')) return true;
    throw new Error(`There is no example of ${holder}.${member}; src/http/openapi-examples.ts has them`);
  };
  return exampleOf;
};
