import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually } from '../support/eventually.ts';
import { bodies, ids, metadata } from '../support/examples.ts';
import { expectError, textAt } from './answer-rules.ts';
import { startCheckedService, startWithPorts, type CheckedService } from './checked-service.ts';
import { gatherCrowd } from './crowd.ts';
import { reads, requestOf, type Operation } from './operations.ts';
import { apply, putFacts, putSpecialty, save } from './stories.ts';

describe('A restart', () => {
  let service: CheckedService;
  let original: unknown[];
  const lists = ['?pageSize=100', '?pageSize=100&name=lee', '?status=hired,rejected&sortBy=professionalName'].map(
    (query): Operation => ({
      name: query,
      method: 'GET',
      path: `/admin/postings/${ids.posting}/candidates${query}`,
      as: 'admin',
      allow: '',
    }),
  );
  const archived: Operation = {
    name: 'archived',
    method: 'GET',
    path: '/professionals/candidates?category=archived',
    as: 'professional',
    allow: '',
  };
  const everything = async () => {
    const answers: unknown[] = [];
    for (const operation of [...reads, ...lists, archived]) {
      const { status, body } = await service.send('GET', operation.path, requestOf(operation));
      answers.push({ name: operation.name, status, body });
    }
    return answers;
  };

  before(async () => {
    service = await startCheckedService();
    await putFacts(service);
    await putSpecialty(service);
    await gatherCrowd(service);
    await apply(service);
    await save(service);
    await service.send('PUT', `/admin/user/${ids.user}/job-notification-settings`, {
      as: 'admin',
      body: bodies.settings,
    });
    await service.send('POST', `/users/${ids.professional}/credentials/reviews`, { as: 'office', body: bodies.review });
    original = await everything();
  });
  after(() => service.stop());

  it('keeps all that was written', async () => {
    await service.restart();
    await service.ready();
    expect(await everything()).to.deep.equal(original);
  });

  it('without the read models builds them again from the events', async function () {
    // Those on a server have no files to delete.
    if (service.stores.readModels.kind !== 'sqlite') this.skip();
    await service.restart(async () => {
      for (const name of await readdir(service.directory))
        if (name.startsWith('read-models.db')) await rm(join(service.directory, name), { force: true });
    });
    await service.ready();
    expect(await everything()).to.deep.equal(original);
  });

  it('lets the same commands go on where they were', async () => {
    await service.restart();
    const answer = await service.send('POST', `/postings/${ids.posting}/candidates`, {
      as: 'professional',
      body: bodies.application,
    });
    expect(answer.status).to.equal(200);
  });
});

describe('While the read models cannot be built', () => {
  let service: CheckedService;

  before(async () => {
    service = await startCheckedService();
    await putFacts(service);
    // An event of a newer version of this service.
    const event = { type: 'OfficeRecorded', version: 99, data: {}, metadata };
    // More streams than a build parks (100).
    for (let number = 0; number <= 100; number++)
      await service.app.eventStore.append({
        stream: `office-later-${number}`,
        expectedRevision: -1,
        events: [{ ...event, id: randomUUID() }],
      });
    await service.restart(undefined, { isExpectedReady: false });
  });
  after(() => service.stop());

  it('the service is live, and not ready', async () => {
    expect((await service.send('GET', '/health/live')).status).to.equal(200);
    expectError(await service.send('GET', '/health/ready'), 503, /^Not ready: /);
  });

  it('it says which of them are behind, how far, and why', async () => {
    const told =
      /^Not ready: the read models are being built; .*saved-postings: \d+ events behind, it failed and tries again(?:;|$)/;
    await eventually('it says so', async () => {
      const { status, body } = await service.send('GET', '/health/ready');
      return status === 503 && told.test(textAt(body, 'error'));
    });
  });

  for (const operation of reads)
    it(`${operation.name} is a 503`, async () => {
      expectError(await service.send('GET', operation.path, requestOf(operation)), 503, /read models/);
    });

  it('writes go on', async () => {
    expect(
      (
        await service.send('POST', '/professionals/postings/save', {
          as: 'professional',
          body: { postingId: ids.posting },
        })
      ).status,
    ).to.equal(200);
  });
});

describe('A defect', () => {
  it('is a 500 that tells nothing but the request id', async () => {
    const service = await startWithPorts({
      clock: () => {
        throw new Error('SQLITE_SECRET at /internal/place');
      },
    });
    const answer = await service.send('PUT', `/internal/offices/${ids.office}`, { body: bodies.office });
    await service.stop();
    expect(answer).to.deep.include({ status: 500, body: { error: 'Internal error' } });
    expect(answer.headers.get('X-Request-Id')).to.match(/^[0-9a-f-]{36}$/);
    expect(answer.headers.get('Consistency-Token')).to.equal(null);
  });
});
