import { existsSync } from 'node:fs';
import { copyFile, rm } from 'node:fs/promises';
import { expect } from 'chai';
import { diagnoseWebhooks } from '../../src/cli/doctor/webhooks.ts';
import { bodies, ids } from '../support/examples.ts';
import { eventually } from '../support/eventually.ts';
import { startService, type Service } from '../support/service.ts';
import { startReceiver, verify, type Receiver } from '../support/webhook-receiver.ts';

const webhooks = { networks: [], retries: { minMs: 10, maxMs: 50, giveUpMs: 3 * 86_400_000 } };

interface NewWebhook {
  readonly id: string;
  readonly url: string;
  readonly secret: string;
}

describe('a webhook', () => {
  let service: Service;
  let receiver: Receiver;
  beforeEach(async () => {
    [service, receiver] = [await startService({ webhooks }), await startReceiver()];
  });
  afterEach(async () => {
    await service.stop();
    await receiver.stop();
  });

  const subscribe = async (
    types: readonly string[] = ['OfficeRecorded', 'PostingRecorded', 'ProfessionalRecorded'],
    url = receiver.url,
  ): Promise<NewWebhook> => {
    const { status, body } = await service.send('POST', '/internal/webhooks', { body: { url, types } });
    expect(status, JSON.stringify(body)).to.equal(201);
    return body as NewWebhook;
  };
  const recordOffice = (officeName: string, id: string = ids.office) =>
    service.send('PUT', `/internal/offices/${id}`, { body: { ...bodies.office, officeName } });
  const names = () => receiver.acknowledged().map(({ data }) => data['officeName']);
  const untilReceived = (count: number) =>
    eventually(`${count} events are received`, () => receiver.acknowledged().length >= count);
  const read = async (path: string) => (await service.send('GET', path)).body as Record<string, unknown>;

  const deliveriesOf = async (id: string) =>
    (await read(`/internal/webhooks/${id}/deliveries`))['data'] as readonly Record<string, unknown>[];
  const untilShown = (id: string, expected: Readonly<Record<string, unknown>>) =>
    eventually(`the webhook shows ${JSON.stringify(expected)}`, async () => {
      const shown = await read(`/internal/webhooks/${id}`);
      return Object.entries(expected).every(([name, value]) => shown[name] === value);
    });
  const metrics = async () => (await fetch(`${service.url}/metrics`)).text();
  const replay = (id: string, body: object) => service.send('POST', `/internal/webhooks/${id}/replay`, { body });

  it('sends each event of its types, signed as Standard Webhooks say', async () => {
    const { secret, id } = await subscribe(['OfficeRecorded']);
    await recordOffice('Bright');
    await service.send('PUT', `/internal/postings/${ids.posting}`, { body: bodies.posting });
    await recordOffice('Brighter');
    await untilReceived(2);
    for (const each of receiver.received) verify(secret, each);
    const [first, second] = receiver.received;
    expect(first?.headers['webhook-id']).to.equal(first?.message.id);
    expect([first?.message.revision, second?.message.revision]).to.deep.equal([0, 1]);
    expect(names()).to.deep.equal(['Bright', 'Brighter']);
    await eventually('both deliveries are listed', async () => (await deliveriesOf(id)).length === 2);
    expect((await deliveriesOf(id))[0]).to.include({
      eventId: second?.message.id,
      type: 'OfficeRecorded',
      entity: `office-${ids.office}`,
      revision: 1,
      isDelivered: true,
      status: 204,
      failure: null,
    });
  });

  it('keeps events from before it to itself', async () => {
    await recordOffice('Before');
    await subscribe();
    await recordOffice('After');
    await untilReceived(1);
    expect(names()).to.deep.equal(['After']);
  });

  it('leaves personal members out, until an administrator includes them, which is audited', async () => {
    const { id } = await subscribe(['ProfessionalRecorded']);
    const record = (firstName: string) =>
      service.send('PUT', `/internal/professionals/${ids.professional}`, {
        body: { ...bodies.professional, firstName },
      });
    await record('Ann');
    await untilReceived(1);
    const [without] = receiver.acknowledged();
    expect(without?.data).to.include({ professionalId: ids.professional });
    expect(without?.data).to.not.have.any.keys('firstName', 'lastName', 'email', 'phone', 'latitude');

    const path = `/admin/webhooks/back-office/${id}/personal-data`;
    const included = { as: 'admin', body: { included: true } } as const;
    expect((await service.send('POST', path, included)).status).to.equal(204);
    await untilShown(id, { includesPersonalData: true });
    await eventually('a message has the name', async () => {
      await record(`Ann ${receiver.received.length}`);
      return receiver.acknowledged().some(({ data }) => String(data['firstName']).startsWith('Ann'));
    });
    const { body } = await service.send('GET', '/admin/audit?since=2026-03-01T00:00:00Z', { as: 'admin' });
    const acts = (body as { data: readonly Record<string, unknown>[] }).data;
    expect(acts.map(({ operation, phase, parameters }) => ({ operation, phase, parameters }))).to.deep.include({
      operation: 'personal-data',
      phase: 'completed',
      parameters: { key: 'back-office', webhook: id, included: true },
    });
  });

  it('signs by both secrets for a day after a rotation', async () => {
    const { id, secret } = await subscribe(['OfficeRecorded']);
    const rotated = await service.send('POST', `/internal/webhooks/${id}/rotate`);
    const { secret: next, previousSecretValidUntil } = rotated.body as Record<string, string>;
    expect(previousSecretValidUntil).to.equal('2026-03-03T09:00:00.000Z');
    await recordOffice('Both');
    await untilReceived(1);
    for (const each of [secret, next ?? '']) verify(each, receiver.received[0] ?? expect.fail());
    service.clock.advance(24 * 60);
    await recordOffice('The next');
    await untilReceived(2);
    const last = receiver.received[1] ?? expect.fail();
    verify(next ?? '', last);
    expect(() => verify(secret, last)).to.throw('No matching signature');
  });

  it('has an entity wait whose event fails, and the others go on', async () => {
    receiver.answerBy(({ entity }) => (entity === 'office-slow' ? 500 : 204));
    const { id } = await subscribe(['OfficeRecorded']);
    await recordOffice('First', 'slow');
    await recordOffice('Second', 'slow');
    await recordOffice('Other', 'fast');
    await untilReceived(1);
    await untilShown(id, { waiting: 1, parked: 0 });
    expect(names()).to.deep.equal(['Other']);
    receiver.answer(204);
    await untilReceived(3);
    expect(names()).to.deep.equal(['Other', 'First', 'Second']);
    await untilShown(id, { waiting: 0 });
  });

  it('parks what has failed for three days, until a replay', async () => {
    receiver.answer(410);
    const { id } = await subscribe(['OfficeRecorded']);
    await recordOffice('First');
    await untilShown(id, { waiting: 1 });
    service.clock.advance(3 * 24 * 60);
    await untilShown(id, { waiting: 0, parked: 1 });
    await recordOffice('Second');
    await service.restart();
    await untilShown(id, { waiting: 0, parked: 1 });
    expect(await diagnoseWebhooks(service.stores.readModels, service.clock.now())).to.deep.equal([
      {
        subject: 'webhooks',
        isWell: false,
        text: `the webhook ${id} of the API key back-office could not be sent the events of 1 entities; POST /internal/webhooks/{id}/replay has it go on`,
      },
    ]);
    expect(await metrics())
      .to.match(/^webhook_parked_entities 1$/m)
      .and.match(/^webhook_waiting_entities 0$/m);
    receiver.answer(204);
    expect((await replay(id, {})).status).to.equal(204);
    await untilReceived(2);
    expect(names()).to.deep.equal(['First', 'Second']);
    await untilShown(id, { parked: 0 });
  });

  it('delivers what a receiver that was down for a while has missed, in order for each entity', async () => {
    const { id } = await subscribe(['OfficeRecorded']);
    await receiver.kill();
    for (const office of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'])
      for (const name of ['1', '2']) await recordOffice(name, office);
    await untilShown(id, { waiting: 8 });
    await receiver.revive();
    await untilReceived(16);
    for (const office of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']) {
      const own = receiver.acknowledged().filter(({ entity }) => entity === `office-${office}`);
      expect(own.map(({ revision }) => revision)).to.deep.equal([0, 1]);
    }
  });

  it('stores what was taken as it goes on with what has waited', async () => {
    const { id } = await subscribe(['OfficeRecorded']);
    await receiver.kill();
    for (let office = 0; office < 48; office++) await recordOffice('1', `${office}`);
    await untilShown(id, { waiting: 48 });
    receiver.answerBy(() => (receiver.received.length < 40 ? 204 : 'hang'));
    await receiver.revive();
    await eventually('a part of them waits no more', async () => {
      const { waiting } = await read(`/internal/webhooks/${id}`);
      return Number(waiting) < 20;
    });
  });

  it('sends events again from a position', async () => {
    const early = await recordOffice('Early');
    const { id } = await subscribe(['OfficeRecorded']);
    await recordOffice('Late');
    await untilReceived(1);
    await replay(id, { after: early.headers.get('Consistency-Token') });
    await eventually('the event is received twice', () => receiver.received.length === 2);
    await replay(id, { after: '0' });
    await eventually('the first event is received too', () => names().includes('Early'));
  });

  it('stops where a replay names a position at which no event stands, until another replay', async () => {
    const { id } = await subscribe(['OfficeRecorded']);
    await replay(id, { after: '0000000000009999' });
    await untilShown(id, { stopped: 'no event stands at 0000000000009999, from where a replay was asked for' });
    await recordOffice('Missed');
    await service.restart();
    await eventually('it has stopped again', async () => (await metrics()).includes('\nwebhook_stopped 1\n'));
    await replay(id, { after: '0' });
    await untilReceived(1);
    await untilShown(id, { stopped: null });
  });

  it('does each of two replays that are asked for at once', async () => {
    const early = await recordOffice('Early');
    await recordOffice('Later');
    const { id } = await subscribe(['OfficeRecorded']);
    await replay(id, { after: early.headers.get('Consistency-Token') });
    await replay(id, {});
    await untilReceived(1);
    expect(names()).to.deep.equal(['Later']);
  });

  it('is a finding of doctor while its receiver is away for long', async () => {
    receiver.answer(503);
    const { id } = await subscribe(['OfficeRecorded']);
    await recordOffice('First');
    await untilShown(id, { waiting: 1 });
    const look = () => diagnoseWebhooks(service.stores.readModels, service.clock.now());
    expect(await look()).to.deep.equal([]);
    service.clock.advance(11);
    const [found] = await look();
    expect(found?.text).to.match(/takes no events of 1 entities since .*, which are tried again/);
  });

  it('leaves nothing behind where it was deleted as the service was stopped', async () => {
    receiver.answer(410);
    const { id } = await subscribe(['OfficeRecorded']);
    await recordOffice('First');
    await untilShown(id, { waiting: 1 });
    service.clock.advance(3 * 24 * 60);
    await untilShown(id, { parked: 1 });
    await service.send('DELETE', `/internal/webhooks/${id}`);
    await service.restart();
    await eventually('nothing is left', async () => {
      const looked = await diagnoseWebhooks(service.stores.readModels, service.clock.now());
      return looked.length === 0;
    });
  });

  it('is sent nothing once it was deleted', async () => {
    const { id } = await subscribe(['OfficeRecorded']);
    const { id: kept } = await subscribe(['OfficeRecorded'], `${receiver.url}/kept`);
    expect((await service.send('DELETE', `/internal/webhooks/${id}`)).status).to.equal(204);
    expect((await service.send('GET', `/internal/webhooks/${id}`)).status).to.equal(404);
    expect((await service.send('DELETE', `/internal/webhooks/${id}`)).status).to.equal(404);
    await eventually('the other one alone is sent an event', async () => {
      const before = receiver.received.length;
      await recordOffice('Gone');
      await eventually('it is received', () => receiver.received.length > before);
      return receiver.received.slice(before).every(({ path }) => path === '/hooks/kept');
    });
    expect((await read('/internal/webhooks'))['data']).to.have.lengthOf(1);
    expect(kept).to.not.equal(id);
  });

  it('keeps the query of its URL a secret', async () => {
    const { id, url } = await subscribe(['OfficeRecorded'], `${receiver.url}?token=hidden`);
    expect(url).to.equal(receiver.url);
    await recordOffice('Bright');
    await untilReceived(1);
    expect(receiver.received[0]?.path).to.equal('/hooks?token=hidden');
    expect(JSON.stringify(await read(`/internal/webhooks/${id}`))).to.not.include('hidden');
    const [subscribed] = await service.app.eventStore.readStream('webhooks-back-office');
    expect(JSON.stringify(subscribed)).to.include(receiver.url).and.not.include('hidden');
  });

  it('goes on after a restart where it was', async () => {
    const { id } = await subscribe(['OfficeRecorded']);
    await recordOffice('Before');
    await untilReceived(1);
    await eventually('it is noted', async () => (await deliveriesOf(id)).length === 1);
    await service.restart();
    await recordOffice('After');
    await untilReceived(2);
    expect(receiver.received.map(({ message }) => message.data['officeName'])).to.deep.equal(['Before', 'After']);
  });
});

/** Puts the files of an event log in the place of another's, while no service runs. */
const copyLog = async (from: string, to: string): Promise<void> => {
  for (const suffix of ['', '-wal', '-shm']) {
    await rm(to + suffix, { force: true });
    if (existsSync(from + suffix)) await copyFile(from + suffix, to + suffix);
  }
};

describe('a webhook of which one entity is always refused', () => {
  it('sends those of others at once', async () => {
    const retries = { ...webhooks.retries, minMs: 1_000, maxMs: 1_000 };
    const service = await startService({ webhooks: { ...webhooks, retries } });
    const receiver = await startReceiver();
    const record = (id: string) => service.send('PUT', `/internal/offices/${id}`, { body: bodies.office });
    const received = (id: string) =>
      receiver.received.filter(({ message }) => message.entity === `office-${id}`).length;
    try {
      receiver.answerBy(({ entity }) => (entity === 'office-refused' ? 400 : 204));
      const body = { url: receiver.url, types: ['OfficeRecorded'] };
      await service.send('POST', '/internal/webhooks', { body });
      await record('refused');
      await eventually('one is refused again and again', () => received('refused') === 6);
      await record('taken');
      await eventually('another one is taken', () => received('taken') === 1);
      expect(received('refused')).to.equal(6);
    } finally {
      await service.stop();
      await receiver.stop();
    }
  });
});

describe('a webhook whose event log is an older state than it has seen', () => {
  it('stops, and says so, until a replay', async function () {
    const service = await startService({ webhooks });
    const receiver = await startReceiver();
    try {
      const { eventStore } = service.stores;
      if (eventStore.kind !== 'sqlite') this.skip();
      const record = (officeName: string) =>
        service.send('PUT', `/internal/offices/${ids.office}`, { body: { ...bodies.office, officeName } });
      const received = (officeName: string) =>
        eventually(`${officeName} is received`, () =>
          receiver.acknowledged().some(({ data }) => data['officeName'] === officeName),
        );
      const { body } = await service.send('POST', '/internal/webhooks', {
        body: { url: receiver.url, types: ['OfficeRecorded'] },
      });
      const path = `/internal/webhooks/${(body as NewWebhook).id}`;
      const shown = async () =>
        (await service.send('GET', path)).body as { readonly stopped: unknown; readonly position: unknown };
      const stopped = async () => (await shown()).stopped;
      await record('Kept');
      await received('Kept');
      const backup = `${eventStore.path}.backup`;
      await service.restart(() => copyLog(eventStore.path, backup));
      const lost = (await record('Lost')).headers.get('Consistency-Token');
      await eventually('it has seen what will be lost', async () => (await shown()).position === lost);
      await service.restart(() => copyLog(backup, eventStore.path), { isExpectedReady: false });
      await record('After');
      const reason = 'the event log is an older state, or its end was lost: a replay says from where to go on';
      await eventually('it has stopped', async () => (await stopped()) === reason);
      expect(await diagnoseWebhooks(service.stores.readModels, service.clock.now())).to.have.lengthOf(1);
      await service.send('POST', `${path}/replay`, { body: { after: '0' } });
      await received('After');
      expect(await stopped()).to.equal(null);
    } finally {
      await service.stop();
      await receiver.stop();
    }
  });
});

describe('a service without WEBHOOK_SECRET', () => {
  it('refuses the operations of webhooks', async () => {
    const service = await startService();
    const error = 'Webhooks are not enabled: the service has no WEBHOOK_SECRET';
    const body = { url: 'https://hooks.example.com', types: ['OfficeRecorded'] };
    for (const [method, path, request] of [
      ['POST', '/internal/webhooks', { body }],
      ['GET', '/internal/webhooks', {}],
      ['GET', '/internal/webhooks/w', {}],
      ['GET', '/internal/webhooks/w/deliveries', {}],
      ['DELETE', '/internal/webhooks/w', {}],
      ['POST', '/internal/webhooks/w/rotate', {}],
      ['POST', '/internal/webhooks/w/replay', {}],
      ['POST', '/admin/webhooks/k/w/personal-data', { as: 'admin', body: { included: true } }],
    ] as const) {
      const answer = await service.send(method, path, request);
      expect([path, answer.status, answer.body]).to.deep.equal([path, 403, { error }]);
    }
    await service.stop();
  });
});
