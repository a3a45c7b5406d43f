import { expect } from 'chai';
import { eventually } from '../support/eventually.ts';
import { bodies, ids, phoneNumbers } from '../support/examples.ts';
import { inOtherOrder } from '../commands/other-order.ts';
import { expectError, textAt } from './answer-rules.ts';
import { bearer, startCheckedService, type CheckedService } from './checked-service.ts';
import { closePosting, mfaToken, putFacts, unchanged } from './stories.ts';

const path = '/professionals/postings/save';

describe('An Idempotency-Key', () => {
  let service: CheckedService;
  let count = 0;
  let key: string;
  const sendSave = (postingId: string = ids.posting, as: 'professional' | 'otherProfessional' = 'professional') =>
    service.send('POST', path, { as, headers: { 'Idempotency-Key': key }, body: { postingId } });

  before(async () => {
    service = await startCheckedService();
    await putFacts(service);
  });
  beforeEach(() => {
    key = `key-${++count}`;
    service.clock.advance(1);
  });
  after(() => service.stop());

  const applyAs = async (name: string) =>
    service.send('POST', `/postings/${ids.posting}/candidates`, {
      headers: { 'Idempotency-Key': key, ...(await bearer({ sub: name, professional_id: name })) },
      body: { resumeId: 'resume-1' },
    });

  it('gives a request that comes again the answer of the first: 201 stays 201', async () => {
    const first = await applyAs('again');
    expect(first.status).to.equal(201);
    expect(first.headers.get('Idempotent-Replayed')).to.equal(null);
    await unchanged(service, async () => {
      const again = await applyAs('again');
      expect(again).to.deep.include({ status: 201, body: first.body });
      expect(again.headers.get('Idempotent-Replayed')).to.equal('true');
      expect(again.headers.get('Consistency-Token')).to.equal(first.headers.get('Consistency-Token'));
    });
  });

  it('does so after what it did was undone', async () => {
    const headers = await bearer({ sub: 'undone', professional_id: 'undone' });
    const body = { postingId: ids.posting };
    const saveAgain = () => service.send('POST', path, { headers: { ...headers, 'Idempotency-Key': key }, body });
    const first = await saveAgain();
    await service.send('POST', '/professionals/postings/unsave', { headers, body });
    await unchanged(service, async () => expect(await saveAgain()).to.deep.include({ status: 200, body: first.body }));
    const saved = await service.send('GET', '/postings/saved', { headers });
    expect(saved).to.have.nested.property('body.data').that.deep.equals([]);
  });

  it('does so after a restart', async () => {
    const first = await applyAs('restart');
    await service.restart();
    await service.ready();
    await unchanged(service, async () =>
      expect(await applyAs('restart')).to.deep.include({ status: 201, body: first.body }),
    );
  });

  it('lasts 24 hours', async () => {
    await applyAs('day');
    service.clock.advance(24 * 60 - 1);
    expect((await applyAs('day')).status).to.equal(201);
    service.clock.advance(1);
    expect((await applyAs('day')).status).to.equal(200);
  });

  it('of a 204 answers 204 again', async () => {
    const token = await mfaToken(service);
    const change = () =>
      service.send('PATCH', '/users/phone', {
        as: 'professional',
        headers: { 'Idempotency-Key': key, 'X-Service-MFA-Token': token },
        body: { phoneNumber: phoneNumbers.wanted },
      });
    const told = service.told.length;
    expect((await change()).status).to.equal(204);
    // By mail and to the number until then: each is counted before it is told.
    await eventually('the change is told', () => service.told.length === told + 2);
    await unchanged(service, async () => expect((await change()).status).to.equal(204));
  });

  it('of a code that was sent answers with the same id and sends no other', async () => {
    const issue = () =>
      service.send('POST', '/users/phone/codes', {
        as: 'otherProfessional',
        headers: { 'Idempotency-Key': key },
        body: { phoneNumber: phoneNumbers.other },
      });
    const first = await issue();
    const sent = service.delivered.length;
    expect((await issue()).body).to.deep.equal(first.body);
    expect(service.delivered).to.have.lengthOf(sent);
  });

  it('with another body, path or operation is a 422 that does nothing', async () => {
    await sendSave();
    const headers = { 'Idempotency-Key': key };
    await unchanged(service, async () => {
      expectError(await sendSave('another'), 422, /Idempotency-Key/);
      const unsave = await service.send('POST', '/professionals/postings/unsave', {
        as: 'professional',
        headers,
        body: { postingId: ids.posting },
      });
      expectError(unsave, 422, /Idempotency-Key/);
    });
  });

  it('with another X-Service-MFA-Token is a 422', async () => {
    const change = (token: string) =>
      service.send('PATCH', '/users/phone', {
        as: 'professional',
        headers: { 'Idempotency-Key': key, 'X-Service-MFA-Token': token },
        body: { phoneNumber: phoneNumbers.wanted },
      });
    service.clock.advance(61);
    await change(await mfaToken(service));
    expectError(await change('another'), 422, /Idempotency-Key/);
  });

  it('with a token for another professional or office of the same user is a 422', async () => {
    const saveWith = async (claims: Readonly<Record<string, unknown>>) =>
      service.send('POST', path, {
        headers: { 'Idempotency-Key': key, ...(await bearer({ sub: 'user-of-two', ...claims })) },
        body: { postingId: ids.posting },
      });
    const first = { professional_id: 'first', office_id: 'office-a' };
    expect((await saveWith(first)).status).to.equal(200);
    await unchanged(service, async () => {
      expectError(await saveWith({ ...first, professional_id: 'second' }), 422, /Idempotency-Key/);
      expectError(await saveWith({ ...first, office_id: 'office-b' }), 422, /Idempotency-Key/);
      expectError(await saveWith({ professional_id: 'first' }), 422, /Idempotency-Key/);
      expect((await saveWith({ ...first, roles: ['reader'] })).status).to.equal(200);
    });
  });

  it('takes members in another order, and null for left out, for the same request', async () => {
    const { officeInfo: _, ...body } = bodies.office;
    const put = (sent: unknown) =>
      service.send('PUT', '/internal/offices/ordered', { headers: { 'Idempotency-Key': key }, body: sent });
    expect((await put(body)).status).to.equal(204);
    const again = JSON.stringify(inOtherOrder({ ...body, officeInfo: null }), null, 1);
    expect((await put(again)).status).to.equal(204);
  });

  it('is apart for each user and each API key', async () => {
    await sendSave();
    expect((await sendSave(ids.posting, 'otherProfessional')).status).to.equal(200);
    const close = await service.send('POST', `/internal/postings/${ids.otherPosting}/close`, {
      headers: { 'Idempotency-Key': key },
    });
    expectError(close, 404, /path\/id/);
  });

  it('is free again after a request that failed', async () => {
    expectError(await sendSave('later'), 404, /body\/postingId/);
    await service.send('PUT', '/internal/postings/later', {
      body: { officeId: ids.office, title: 'Later', profession: 'dentist' },
    });
    expect((await sendSave('later')).status).to.equal(200);
  });

  it('is kept for a success that changed nothing', async () => {
    await service.send('PUT', '/internal/postings/closes', {
      body: { officeId: ids.office, title: 'Closes', profession: 'dentist' },
    });
    await closePosting(service, 'closes');
    const close = () =>
      service.send('POST', '/internal/postings/closes/close', { headers: { 'Idempotency-Key': key } });
    expect((await close()).status).to.equal(204);
    expect((await close()).status).to.equal(204);
    const other = await service.send('POST', '/internal/postings/later/close', { headers: { 'Idempotency-Key': key } });
    expectError(other, 422, /Idempotency-Key/);
  });

  it('has the effect of one request when many are under way at once', async () => {
    const before = await service.head();
    const answers = await Promise.all(Array.from({ length: 50 }, () => applyAs('at-once')));
    expect(new Set(answers.map(({ status, body }) => `${status} ${textAt(body, 'id')}`))).to.have.property('size', 1);
    expect(answers[0]?.status).to.equal(201);
    expect(await service.app.eventStore.readAll(before, 100)).to.have.lengthOf(1);
  });

  it('is taken with 1 and with 255 visible ASCII characters', async () => {
    for (const one of ['!', '~'.repeat(255), '"a,b"']) {
      key = one;
      expect((await sendSave()).status).to.equal(200);
    }
  });

  it('is nothing to a read', async () => {
    const headers = { 'Idempotency-Key': 'a b' };
    expect((await service.send('GET', '/postings/saved', { as: 'professional', headers })).status).to.equal(200);
  });
});
