import { expect } from 'chai';
import type { Caller } from '../../src/access/access.ts';
import { DomainError } from '../../src/errors/domain-error.ts';
import { createQuotaFinder, type FindQuota } from '../../src/http/daily-quotas.ts';
import { openMongoReadModelsReader } from '../../src/read-models/mongodb/reader.ts';
import { eventually } from '../support/eventually.ts';
import { ids } from '../support/examples.ts';
import { describeOnMongo } from '../support/mongodb-stores.ts';
import type { Answer } from '../support/service.ts';
import { expectError } from './answer-rules.ts';
import { bearer, startCheckedService, type CheckedService } from './checked-service.ts';
import { putCast, putFacts, save, createCast, unchanged } from './stories.ts';

const DAY = 24 * 60 * 60;
const path = '/professionals/postings/save';

describe('The quotas of a user', () => {
  let service: CheckedService;
  const saveIt = (
    headers: Readonly<Record<string, string>> = {},
    as: 'professional' | 'otherProfessional' = 'professional',
  ) => service.send('POST', path, { as, headers, body: { postingId: ids.posting } });
  const unsaveIt = () =>
    service.send('POST', '/professionals/postings/unsave', { as: 'professional', body: { postingId: ids.posting } });

  /** On servers a count arrives a moment after the answer of its write, so the probe must not change what is told. */
  const untilRefused = (probe: () => Promise<Answer>) =>
    eventually('the quota is used up', async () => (await probe()).status === 429);

  afterEach(() => service.stop());

  describe('for events', () => {
    beforeEach(async () => {
      service = await startCheckedService({ quotas: { eventsPerDay: 3, idempotencyRecordsPerDay: 0 } });
      await putFacts(service);
    });

    it('are used up by what is stored, and then a 429 says when the next day begins', async () => {
      for (const act of [saveIt, unsaveIt, saveIt]) expect((await act()).status).to.equal(200);
      await unchanged(service, async () => {
        await untilRefused(() => saveIt());
        const refused = await unsaveIt();
        expectError(refused, 429, /^You have stored as many events as a user may in a day: 3; Retry-After/);
        expect(Number(refused.headers.get('Retry-After'))).to.be.within(DAY - 60, DAY);
      });
    });

    it('do not count what appends nothing, nor reads', async () => {
      for (let count = 1; count <= 10; count++) expect((await saveIt()).status).to.equal(200);
      for (let count = 1; count <= 10; count++)
        expect((await service.send('GET', '/postings/saved', { as: 'professional' })).status).to.equal(200);
      expect((await unsaveIt()).status).to.equal(200);
    });

    it('leave other users, administrators and applications alone, and reads', async () => {
      for (const act of [saveIt, unsaveIt, saveIt]) await act();
      await untilRefused(() => saveIt());
      expectError(await unsaveIt(), 429, /events/);
      expect((await saveIt({}, 'otherProfessional')).status).to.equal(200);
      expect((await service.send('GET', '/postings/saved', { as: 'professional' })).status).to.equal(200);
      for (const name of ['a', 'b', 'c', 'd']) await putCast(service, createCast(name));
      for (const name of ['a', 'b', 'c', 'd'])
        expect(
          (
            await service.send('POST', `/users/${createCast(name).ids.professional}/credentials/reviews`, {
              as: 'admin',
              body: { profession: 'hygienist', endorsed: ['scaling'] },
            })
          ).status,
        ).to.equal(204);
    });

    it('are one for all professionals and offices that a user acts as', async () => {
      const as = (professional: string) => ({ sub: 'user-of-many', professional_id: professional });
      const saveAs = async (professional: string) =>
        service.send('POST', path, { headers: await bearer(as(professional)), body: { postingId: ids.posting } });
      for (const professional of ['one', 'two', 'three']) await save(service, ids.posting, as(professional));
      await untilRefused(() => saveAs('three'));
      expectError(await saveAs('four'), 429, /events/);
    });
  });

  describe('for idempotency keys', () => {
    beforeEach(async () => {
      service = await startCheckedService({ quotas: { eventsPerDay: 0, idempotencyRecordsPerDay: 2 } });
      await putFacts(service);
    });

    it('are used up by new keys, and not by repeated requests, which are answered beyond them', async () => {
      const keyed = (key: string) => saveIt({ 'Idempotency-Key': key });
      expect((await keyed('one')).status).to.equal(200);
      for (let count = 1; count <= 3; count++) expect((await keyed('one')).status).to.equal(200);
      expect((await keyed('two')).status).to.equal(200);
      let count = 0;
      await untilRefused(() => keyed(`probe-${++count}`));
      expectError(await keyed('three'), 429, /as many Idempotency-Keys as a user may in a day: 2/);
      expect((await keyed('two')).status).to.equal(200);
      // Without a key nothing is stored under one.
      expect((await saveIt()).status).to.equal(200);
    });
  });
});

const ann: Caller = {
  key: { scope: 'client', name: 'website' },
  user: { id: 'ann', professionalId: undefined, officeId: undefined, isAdmin: false, isAnalyst: false },
};
const isRefused = (quotaOf: FindQuota): boolean => {
  try {
    quotaOf(ann)?.check(false);
    return false;
  } catch (error) {
    if (error instanceof DomainError && error.reason === 'too-many') return true;
    throw error;
  }
};

describeOnMongo('The quotas of users in MongoDB', ({ url }) => {
  it('hold for all instances, each of which learns of it by its next write', async () => {
    const readers = [openMongoReadModelsReader(url()), openMongoReadModelsReader(url())];
    const [here, there] = readers.map(({ createLimiter }) =>
      createQuotaFinder({ eventsPerDay: 3, idempotencyRecordsPerDay: 0 }, createLimiter),
    );
    if (!here || !there) throw new Error('There are not two');

    here(ann)?.count({ events: 3, idempotencyRecords: 1 });
    await eventually('the one refuses', () => isRefused(here));
    expect(isRefused(there)).to.equal(false);
    there(ann)?.count({ events: 1, idempotencyRecords: 0 });
    await eventually('the other refuses', () => isRefused(there));

    for (const reader of readers) await reader.close();
  });
});
