import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { eventually } from '../support/eventually.ts';
import { bodies, ids, metadata } from '../support/examples.ts';
import { at, expectError } from './answer-rules.ts';
import { startCheckedService, type CheckedService } from './checked-service.ts';
import { operations, reads, requestOf } from './operations.ts';
import { putFacts, putSpecialty } from './stories.ts';
import { slowness } from '../support/slowness.ts';

describe('A Consistency-Token', () => {
  const waitMs = Math.ceil(500 * slowness());
  let service: CheckedService;
  const read = (token: string) =>
    service.send('GET', '/postings/saved', { as: 'professional', headers: { 'Consistency-Token': token } });

  before(async () => {
    service = await startCheckedService({ consistencyWaitMs: waitMs });
    await putFacts(service);
    await putSpecialty(service);
  });
  after(() => service.stop());

  it('comes with every write, also with one that changed nothing', async () => {
    const path = `/internal/offices/${ids.office}`;
    const [first, again] = [
      await service.send('PUT', path, { body: bodies.office }),
      await service.send('PUT', path, { body: bodies.office }),
    ];
    for (const { headers } of [first, again]) expect(headers.get('Consistency-Token')).to.match(/^\S+$/);
  });

  it('comes with no read and no refusal', async () => {
    for (const operation of operations.filter(({ method, name }) => method === 'GET' || name === 'verifyPhoneCode')) {
      const { headers } = await service.send(operation.method, operation.path, requestOf(operation));
      expect(headers.get('Consistency-Token'), operation.name).to.equal(null);
    }
  });

  it('lets a read show the write, each time', async () => {
    for (let round = 0; round < 50; round++) {
      const act = round % 2 === 0 ? 'save' : 'unsave';
      const { headers } = await service.send('POST', `/professionals/postings/${act}`, {
        as: 'professional',
        body: { postingId: ids.posting },
      });
      const { body } = await read(headers.get('Consistency-Token') ?? '');
      expect(at(body, 'pagination', 'total')).to.equal(round % 2 === 0 ? 1 : 0);
    }
  });

  it('of an event that is parked, or waits behind one, is a 503 that names the projection', async () => {
    // Given an event that a newer release has written, and one behind it in the stream
    const append = async (revision: number, version: number) => {
      const data = { officeId: 'newer', ...bodies.office };
      const event = { id: randomUUID(), type: 'OfficeRecorded', version, data, metadata };
      const appended = await service.app.eventStore.append({
        stream: 'office-newer',
        expectedRevision: revision - 1,
        events: [event],
      });
      return appended.kind === 'appended' ? appended.position : '';
    };
    const tokens = [await append(0, 2), await append(1, 1)];

    // When reads carry their tokens
    for (const token of tokens) {
      await eventually('it is not waited for any more', async () => (await read(token)).status === 503);
      expectError(
        await read(token),
        503,
        /^The projection saved-postings cannot apply the event of the Consistency-Token: its stream is parked$/,
      );
    }

    // Then a later event of another stream can be read
    const { headers } = await service.send('PUT', `/internal/offices/${ids.office}`, { body: bodies.office });
    expect((await read(headers.get('Consistency-Token') ?? '')).status).to.equal(200);
  });

  it('of a write that changed nothing lets a read show what was there', async () => {
    await service.send('POST', '/professionals/postings/save', {
      as: 'professional',
      body: { postingId: ids.posting },
    });
    const again = await service.send('POST', '/professionals/postings/save', {
      as: 'professional',
      body: { postingId: ids.posting },
    });
    const { body } = await read(again.headers.get('Consistency-Token') ?? '');
    expect(at(body, 'pagination', 'total')).to.equal(1);
  });

  for (const operation of reads) {
    it(`that is malformed is a 400 for ${operation.name}`, async () => {
      for (const token of ['x', '-1', '1 2', '1.5', '0x1', "1';--", '9'.repeat(65), 'null'])
        expectError(
          await service.send('GET', operation.path, {
            ...requestOf(operation),
            headers: { 'Consistency-Token': token },
          }),
          400,
          /Consistency-Token/,
        );
    });

    it(`of the future is a 503 with Retry-After for ${operation.name}`, async () => {
      const headers = { 'Consistency-Token': '9'.repeat(16) };
      expectError(
        await service.send('GET', operation.path, { ...requestOf(operation), headers }),
        503,
        /Consistency-Token/,
      );
    });
  }

  it('is waited for no longer than what is configured', async () => {
    const started = performance.now();
    await read('9'.repeat(16));
    expect(performance.now() - started).to.be.within(0.9 * waitMs, 4 * waitMs);
  });
});
