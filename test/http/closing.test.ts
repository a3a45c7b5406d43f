import { expect } from 'chai';
import { bodies, claims, ids, times } from '../support/examples.ts';
import { at, expectError, rowsAt } from './answer-rules.ts';
import { startCheckedService, type CheckedService } from './checked-service.ts';
import { apply, change, closePosting, putFacts, putPosting, unchanged } from './stories.ts';

describe('Closing a posting', () => {
  let service: CheckedService;
  let count = 0;
  let postingId: string;
  const path = () => `/internal/postings/${postingId}/close`;
  const first = async (list: string, as: 'professional' | 'admin' | 'office') =>
    at((await service.send('GET', list, { as })).body, 'data', 0);
  const candidates = () => `/postings/${postingId}/candidates`;

  before(async () => {
    service = await startCheckedService();
    await putFacts(service);
  });
  beforeEach(async () => {
    postingId = `posting-${++count}`;
    await putPosting(service, postingId);
  });
  after(() => service.stop());

  it('answers 204, and again without an event', async () => {
    expect(await service.send('POST', path())).to.include({ status: 204, body: undefined });
    await unchanged(service, async () =>
      expect((await service.send('POST', path(), { body: {} })).status).to.equal(204),
    );
  });

  it('that is unknown is a 404', () =>
    unchanged(service, async () =>
      expectError(await service.send('POST', '/internal/postings/unknown/close'), 404, /path\/id/),
    ));

  it('closes open candidates on every list, at the time and by the hand that closed it', async () => {
    const id = await apply(service, claims.professional, postingId);
    service.clock.advance(5);
    await closePosting(service, postingId);
    const closed = service.clock.now().toISOString();
    const told = {
      id,
      hiringStatus: 'closed',
      officeStatus: 'applied',
      professionalStatus: 'closed',
      updatedAt: closed,
      updatedBy: 'key:back-office',
    };
    expect(await first(candidates(), 'office')).to.include(told);
    expect(await first(`/admin${candidates()}`, 'admin')).to.include(told);
    const own = await first('/professionals/candidates?category=archived', 'professional');
    expect(own).to.include({ ...told, professionalStatusUpdatedAt: closed });
    expect(at(own, 'postingDetails', 'status')).to.equal('closed');
  });

  it('leaves those who were hired or rejected as they are', async () => {
    for (const officeStatus of ['hired', 'rejected'] as const) {
      const claim = { sub: `user-${officeStatus}`, professional_id: `professional-${officeStatus}` };
      await change(service, await apply(service, claim, postingId), { officeStatus }, postingId);
    }
    const before = await service.send('GET', `/admin${candidates()}`, { as: 'admin' });
    service.clock.advance(5);
    await closePosting(service, postingId);
    const after = await service.send('GET', `/admin${candidates()}`, { as: 'admin' });
    expect(after.body).to.deep.equal(before.body);
  });

  it('keeps the interview and its id', async () => {
    const id = await apply(service, claims.professional, postingId);
    await change(service, id, { officeStatus: 'scheduled', interviewAt: times.interview }, postingId);
    const before = await first(candidates(), 'office');
    await closePosting(service, postingId);
    const after = await first(candidates(), 'office');
    expect(at(after, 'onsiteInterviewId')).to.equal(at(before, 'onsiteInterviewId')).and.to.be.a('string');
  });

  it('makes every move a 409, but not the state it is in, nor the shortlist', async () => {
    const id = await apply(service, claims.professional, postingId);
    const interviewAt = times.interview;
    await change(service, id, { officeStatus: 'scheduled', interviewAt }, postingId);
    await closePosting(service, postingId);
    const refused = [
      ...['applied', 'interviewed', 'hired', 'rejected'].map((officeStatus) => ({ officeStatus })),
      { officeStatus: 'scheduled', interviewAt: times.otherInterview },
    ];
    await unchanged(service, async () => {
      for (const body of refused)
        expectError(await service.send('PATCH', `${candidates()}/${id}`, { as: 'office', body }), 409, /closed/);
      await change(service, id, { officeStatus: 'scheduled', interviewAt: '2026-03-10T16:00:00+01:00' }, postingId);
    });
    await change(service, id, { isShortlisted: true }, postingId);
    expect(await first(candidates(), 'office')).to.include({ isShortlisted: true, hiringStatus: 'closed' });
  });

  it('holds for good: a later PUT revises the facts only', async () => {
    await apply(service, claims.professional, postingId);
    await closePosting(service, postingId);
    await putPosting(service, postingId, { title: 'Revised' });
    const answer = await service.send('POST', candidates(), { as: 'otherProfessional', body: bodies.application });
    expectError(answer, 409, /closed/);
    const { body } = await service.send('GET', '/professionals/candidates?category=archived&pageSize=100', {
      as: 'professional',
    });
    const found = rowsAt(body, 'data').find((row) => row['postingId'] === postingId);
    expect(at(found, 'postingDetails')).to.include({ status: 'closed', postingTitle: 'Revised' });
  });

  it('leaves the tab counts as they were', async () => {
    const id = await apply(service, claims.professional, postingId);
    await closePosting(service, postingId);
    const { body } = await service.send('GET', candidates(), { as: 'office' });
    expect(at(body, 'metadata', 'tabs')).to.deep.equal({
      all: 1,
      applied: 1,
      hired: 0,
      interviewed: 0,
      rejected: 0,
      scheduled: 0,
    });
    expect(at(body, 'data', 0, 'id')).to.equal(id);
    expect(at(body, 'data', 0, 'professionalId')).to.equal(ids.professional);
  });
});
