import { expect } from 'chai';
import { candidateIdOf } from '../../src/domain/candidate.ts';
import { ids, phoneNumbers, bodies, times } from '../support/examples.ts';
import { at, textAt } from './answer-rules.ts';
import { startCheckedService, type CheckedService } from './checked-service.ts';
import { apply, mfaToken, putFacts, putOffice, putPosting, requestToken } from './stories.ts';

const atOnce = <T>(count: number, act: (index: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => act(index)));

describe('Requests at once', () => {
  let service: CheckedService;
  const typesSince = async (position: string) =>
    (await service.app.eventStore.readAll(position, 10_000)).map(({ type }) => type);
  const countsOf = (statuses: readonly number[]) =>
    Object.fromEntries(
      [...new Set(statuses)].map((status) => [status, statuses.filter((one) => one === status).length]),
    );

  before(async () => {
    service = await startCheckedService();
    await putFacts(service);
  });
  beforeEach(() => {
    service.clock.advance(61);
  });
  after(() => service.stop());

  it('of which 400 save one posting leave one event, and all answer alike', async () => {
    const before = await service.head();
    const answers = await atOnce(400, () =>
      service.send('POST', '/professionals/postings/save', { as: 'professional', body: { postingId: ids.posting } }),
    );
    expect(new Set(answers.map(({ status, body }) => `${status} ${JSON.stringify(body)}`))).to.have.property('size', 1);
    expect(await typesSince(before)).to.deep.equal(['PostingSaved']);
    const { body } = await service.send('GET', '/postings/saved', { as: 'professional' });
    expect(at(body, 'pagination', 'total')).to.equal(1);
  });

  it('of which 200 use one token of the multi-factor flow change the number once', async () => {
    const headers = { 'X-Service-MFA-Token': await mfaToken(service) };
    const before = await service.head();
    const answers = await atOnce(200, (index) =>
      service.send('PATCH', '/users/phone', {
        as: 'professional',
        headers,
        body: { phoneNumber: `+151255501${String(index % 100).padStart(2, '0')}` },
      }),
    );
    expect(countsOf(answers.map(({ status }) => status))).to.deep.equal({ 204: 1, 403: 199 });
    expect((await typesSince(before)).filter((type) => type !== 'NoticeRequested')).to.deep.equal([
      'PhoneNumberChanged',
    ]);
  });

  it('of which 50 use one requestToken change the number once', async () => {
    const token = await requestToken(service, phoneNumbers.wanted);
    const before = await service.head();
    const answers = await atOnce(50, () =>
      service.send('PATCH', '/users/phone', { as: 'professional', body: { requestToken: token } }),
    );
    expect(countsOf(answers.map(({ status }) => status))).to.deep.equal({ 204: 1, 403: 49 });
    expect((await typesSince(before)).filter((type) => type !== 'NoticeRequested')).to.deep.equal([
      'PhoneNumberChanged',
    ]);
  });

  it('of which 50 apply make one candidate, and one answer is the 201', async () => {
    await putPosting(service, 'posting-applied');
    const answers = await atOnce(50, (index) =>
      service.send('POST', '/postings/posting-applied/candidates', {
        as: 'professional',
        body: { resumeId: `resume-${index}` },
      }),
    );
    expect(countsOf(answers.map(({ status }) => status))).to.deep.equal({ 200: 49, 201: 1 });
    expect(new Set(answers.map(({ body }) => textAt(body, 'id')))).to.deep.equal(
      new Set([candidateIdOf('posting-applied', ids.professional)]),
    );
  });

  it('of which 40 hire and reject one candidate: one of the two is what it becomes', async () => {
    await putPosting(service, 'posting-decided');
    const id = await apply(service, undefined, 'posting-decided');
    const before = await service.head();
    const answers = await atOnce(40, (index) =>
      service.send('PATCH', `/postings/posting-decided/candidates/${id}`, {
        as: 'office',
        body: { officeStatus: index % 2 === 0 ? 'hired' : 'rejected' },
      }),
    );
    expect(countsOf(answers.map(({ status }) => status))).to.deep.equal({ 204: 20, 409: 20 });
    expect(await typesSince(before)).to.have.lengthOf(1);
  });

  it('of which 30 ask for codes: five are issued', async () => {
    const sent = service.delivered.length;
    const answers = await atOnce(30, (index) =>
      service.send('POST', index % 2 === 0 ? '/users/phone/codes' : '/mfa/flows', {
        as: 'professional',
        body: index % 2 === 0 ? { phoneNumber: phoneNumbers.other } : { flow: 'phone_update_flow' },
      }),
    );
    expect(answers.filter(({ status }) => status === 429)).to.have.lengthOf(25);
    expect(service.delivered).to.have.lengthOf(sent + 5);
  });

  it('of which 30 enter wrong codes: five are looked at', async () => {
    const { body } = await service.send('POST', '/users/phone/codes', {
      as: 'professional',
      body: { phoneNumber: phoneNumbers.other },
    });
    const right = service.delivered.at(-1)?.code ?? '';
    const path = `/users/phone/codes/${textAt(body, 'codeId')}/verify`;
    const codes = Array.from({ length: 30 }, (_, index) => String(index).padStart(6, '0')).filter(
      (code) => code !== right,
    );
    const answers = await Promise.all(
      codes.map((code) => service.send('POST', path, { as: 'professional', body: { code } })),
    );
    expect(countsOf(answers.map(({ status }) => status))).to.deep.equal({ 400: 5, 403: codes.length - 5 });
  });

  it('of many kinds leave the lists as one after another would', async () => {
    await putOffice(service, 'office-busy');
    await atOnce(20, (index) => putPosting(service, `posting-busy-${index}`, { officeId: 'office-busy' }));
    await atOnce(20, (index) => apply(service, undefined, `posting-busy-${index}`));
    await atOnce(20, (index) =>
      service.send(
        'PATCH',
        `/postings/posting-busy-${index}/candidates/${candidateIdOf(`posting-busy-${index}`, ids.professional)}`,
        { as: 'admin', body: { isShortlisted: true, officeStatus: 'scheduled', interviewAt: times.interview } },
      ),
    );
    const { body } = await service.send(
      'GET',
      '/professionals/candidates?category=active&status=scheduled&pageSize=100',
      { as: 'professional' },
    );
    expect(at(body, 'pagination', 'total')).to.equal(20);
    expect(JSON.stringify(body)).to.include(bodies.office.officeName);
  });
});
