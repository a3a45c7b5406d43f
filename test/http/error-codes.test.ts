import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { onClientError } from '../../src/http/edge/client-error.ts';
import { httpStatusOf, type ErrorCode } from '../../src/http/edge/error-codes.ts';
import { bodies, ids, phoneNumbers } from '../support/examples.ts';
import type { Answer, Request } from '../support/service.ts';
import { checkRules, textAt } from './answer-rules.ts';
import { startCheckedService, startWithPorts, type CheckedService } from './checked-service.ts';
import { exchangeBytes, parseAnswer } from './raw-socket.ts';
import { apply, change, closePosting, putFacts, putPosting, wrong } from './stories.ts';

const saving = '/professionals/postings/save';
const as = 'professional';

/** The answer to a client that begins a request and sends no more. */
const answerToSlowClient = async (): Promise<Answer | undefined> => {
  const server = createServer({ headersTimeout: 1, connectionsCheckingInterval: 1 });
  server.on('clientError', onClientError).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const answer = parseAnswer(await exchangeBytes(`http://127.0.0.1:${port}`, 'GET / HTTP/1.1\r\n'));
  server.close();
  return answer;
};

describe('Error-Code', () => {
  let service: CheckedService;
  const closed = 'posting-closed-by-now';

  before(async () => {
    service = await startCheckedService();
    await putFacts(service);
  });
  after(() => service.stop());

  const send = (method: string, path: string, request: Request = {}) => service.send(method, path, { as, ...request });
  const bytes = (method: string, path: string, headers: Readonly<Record<string, string>> = {}) =>
    service.sendBytes(method, path, { as, headers });
  const issueCode = () => send('POST', '/users/phone/codes', { body: { phoneNumber: phoneNumbers.wanted } });
  const move = (candidateId: string, postingId: string, officeStatus: string) =>
    send('PATCH', `/postings/${postingId}/candidates/${candidateId}`, { as: 'admin', body: { officeStatus } });
  const saveUnderKey = (postingId: string) =>
    send('POST', saving, { headers: { 'Idempotency-Key': 'a-key' }, body: { postingId } });

  /** A request for each code; complete by its type, as the list of codes is. */
  const provoke: Readonly<Record<ErrorCode, () => Promise<Answer | undefined>>> = {
    invalid: () => send('POST', saving, { body: {} }),
    async 'wrong-code'() {
      const { body } = await issueCode();
      const code = wrong(service.delivered.at(-1)?.code ?? '');
      return send('POST', `/users/phone/codes/${textAt(body, 'codeId')}/verify`, { body: { code } });
    },
    unauthenticated: () => send('GET', '/postings/saved', { key: null }),
    forbidden: () => send('GET', '/postings/saved', { as: 'nobody' }),
    'not-verified': () => send('PATCH', '/users/phone', { body: { requestToken: 'x' } }),
    'not-found': () => send('GET', '/nothing'),
    'method-not-allowed': () => bytes('DELETE', '/postings/saved'),
    'not-acceptable': () => send('GET', '/postings/saved', { headers: { Accept: 'text/html' } }),
    'request-timeout': answerToSlowClient,
    async conflict() {
      const candidate = await apply(service);
      await change(service, candidate, { officeStatus: 'hired' });
      return move(candidate, ids.posting, 'applied');
    },
    async 'candidate-closed'() {
      await putPosting(service, closed);
      const candidate = await apply(service, undefined, closed);
      await closePosting(service, closed);
      return move(candidate, closed, 'hired');
    },
    async 'posting-closed'() {
      await closePosting(service, closed);
      return send('POST', `/postings/${closed}/candidates`, { as: 'otherProfessional', body: bodies.application });
    },
    'precondition-failed': () => send('GET', '/postings/saved', { headers: { 'If-Match': '"another"' } }),
    'body-too-large': () => send('POST', saving, { body: ' '.repeat(102_401) }),
    'url-too-long': () => bytes('GET', `/postings/saved?x=${'x'.repeat(8_192)}`),
    'unsupported-media-type': () => send('POST', saving, { headers: { 'Content-Type': 'text/plain' }, body: 'x' }),
    'expectation-failed': () => bytes('GET', '/postings/saved', { Expect: 'a miracle' }),
    async 'key-reused'() {
      await saveUnderKey(ids.posting);
      return saveUnderKey('another');
    },
    async 'too-many'() {
      for (let issued = 0; issued < 5; issued++) await issueCode();
      return issueCode();
    },
    'headers-too-large': () => bytes('GET', '/postings/saved', { 'X-Large': 'x'.repeat(16_384) }),
    async internal() {
      const broken = await startWithPorts({
        clock: () => {
          throw new Error('A defect');
        },
      });
      const answer = await broken.send('PUT', `/internal/offices/${ids.office}`, { body: bodies.office });
      await broken.stop();
      return answer;
    },
    unavailable: () => send('GET', '/postings/saved', { headers: { 'Consistency-Token': '9'.repeat(16) } }),
  };
  for (const [code, answerOf] of Object.entries(provoke))
    it(`tells ${code}`, async () => {
      const answer = await answerOf();
      expect(answer?.headers.get('Error-Code'), JSON.stringify(answer?.body)).to.equal(code);
      expect(answer?.status).to.equal(httpStatusOf(code as ErrorCode));
      if (answer) checkRules('GET', answer);
    });
});

describe('Error-Field', () => {
  let service: CheckedService;
  before(async () => {
    service = await startCheckedService();
    await putFacts(service);
  });
  after(() => service.stop());

  const office = '/internal/offices/office-1';
  const posting = '/internal/postings/posting-1';
  const cases: readonly (readonly [string, string, string, unknown, string | null])[] = [
    ['a member of the wrong type', 'PUT', office, { officeName: 1 }, '/properties/officeName'],
    ['a member that is missing', 'PUT', office, {}, '/properties/officeName'],
    [
      'a member of an entry',
      'PUT',
      office,
      { officeName: 'A', address: [{}, { city: 1 }] },
      '/properties/address/items/properties/city',
    ],
    [
      'the object that an unknown member is in',
      'PUT',
      office,
      { officeName: 'A', officeInfo: { 'my secret': 1 } },
      '/properties/officeInfo',
    ],
    ['the whole body for an unknown member of it', 'PUT', office, { officeName: 'A', 'my secret': 1 }, ''],
    ['the whole body that is no object', 'PUT', office, [], ''],
    [
      'what only the domain refuses',
      'PUT',
      posting,
      { ...bodies.posting, salaryRange: { min: 2, max: 1 } },
      '/properties/salaryRange/properties/min',
    ],
    ['a phone number', 'POST', '/users/phone/codes', { phoneNumber: '1' }, '/properties/phoneNumber'],
    ['a name that leads nowhere', 'POST', saving, { postingId: 'unknown' }, '/properties/postingId'],
    ['a parameter of the query', 'GET', '/postings/saved?page=x', undefined, '/properties/page'],
    ['a parameter given twice', 'GET', '/postings/saved?page=1&page=2', undefined, '/properties/page'],
    ['a parameter of the path', 'PUT', '/internal/offices/a%20b', bodies.office, '/properties/id'],
    ['nothing where no member is wrong', 'POST', saving, '{', null],
  ];
  for (const [what, method, path, body, field] of cases)
    it(`names ${what}`, async () => {
      const answer = await service.send(method, path, {
        ...(path.startsWith('/internal') ? {} : { as }),
        ...(body !== undefined && { body }),
      });
      expect(answer.headers.get('Error-Field'), JSON.stringify(answer.body)).to.equal(field);
    });

  it('names the first of up to five faults that the message tells', async () => {
    const { headers, body } = await service.send('PUT', posting, {
      body: { title: 1, profession: 'x'.repeat(201), benefits: 'x', state: true, specialty: [], procedures: {} },
    });
    expect(headers.get('Error-Field')).to.equal('/properties/officeId');
    expect(body).to.deep.equal({
      error:
        'body/officeId is required; body/title must be a string; body/profession must have at most 200 characters; ' +
        'body/specialty must be a string or null; body/state must be a string or null',
    });
  });
});
