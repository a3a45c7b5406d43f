import { expect } from 'chai';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { demoPlaintextApiKeys } from '../../src/config/demo.ts';
import { eventually } from '../support/eventually.ts';
import { bodies } from '../support/examples.ts';
import { killLeftProcesses, sendTo, serveProcess, type Running } from '../support/process.ts';
import { withBothServers } from '../support/servers.ts';
import { startReceiver, verify, type Answering, type Receiver } from '../support/webhook-receiver.ts';
import { newInstances } from './instances.ts';

const KILLS = 30;
const WRITES_BETWEEN_KILLS = 12;
const OFFICES = 8;
const LATE_MS = 120_000;

/** The demo, in which a receiver may be on this machine. */
const demo = { API_KEYS: '', JWT_SECRET: '', CODE_SECRET: '', RATE_LIMIT_PER_SECOND: '0' } as const;
const headers = { 'X-API-Key': demoPlaintextApiKeys.internal };

let messages = 0;
/** How the receiver answers, in turns. */
const TURNS: readonly (() => Answering)[] = [
  () => 204,
  () => (response) => {
    setTimeout(() => response.writeHead(204, { Connection: 'close' }).end(), 100);
  },
  () => (messages++ % 3 === 0 ? 500 : 204),
  () => (messages++ % 3 === 0 ? 'hang' : 204),
  () => (messages++ % 2 === 0 ? 'reset' : 204),
  () => 302,
  () => (response) =>
    response.socket?.end('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n'),
];

const officeOf = (write: number): string => `office-${write % OFFICES}`;

/** Runs the turns with some instances, of which one is killed and started again at the end of each. */
const expectEachDelivered = async (receiver: Receiver, start: () => Promise<Running>, count: number): Promise<void> => {
  const instances = await Promise.all(Array.from({ length: count }, start));
  const [first] = instances;
  if (!first) throw new Error('There is no instance');
  const any = (number: number): Running => instances[number % count] ?? first;
  const subscribed = await sendTo(first, 'POST', '/internal/webhooks', {
    headers,
    body: { url: receiver.url, types: ['OfficeRecorded'] },
  });
  expect(subscribed.status).to.equal(201);
  const webhook = subscribed.body as { readonly id: string; readonly secret: string };
  let { secret } = webhook;
  const after = subscribed.headers.get('Consistency-Token');
  const change = async (operation: 'rotate' | 'replay', body: object): Promise<unknown> =>
    (await sendTo(any(written), 'POST', `/internal/webhooks/${webhook.id}/${operation}`, { headers, body })).body;

  let written = 0;
  const write = async (): Promise<void> => {
    const body = { ...bodies.office, officeName: `Office ${written}` };
    const path = `/internal/offices/${officeOf(written)}`;
    const { status } = await sendTo(any(written), 'PUT', path, { headers, body });
    expect(status).to.equal(204);
    written++;
  };
  for (let kill = 0; kill < KILLS; kill++) {
    const turn = TURNS[kill % TURNS.length];
    receiver.answerBy(() => turn?.() ?? 204);
    for (let one = 0; one < WRITES_BETWEEN_KILLS; one++) await write();
    if (kill % 5 === 1) ({ secret } = (await change('rotate', {})) as { secret: string });
    if (kill % 8 === 2) await change('replay', { after });
    // Lets some of it be delivered; where the kill strikes is left to chance.
    await delay(Math.random() * 300);
    await any(kill).end('SIGKILL');
    // Hung connections end with it, and each third start finds no receiver.
    await receiver.kill();
    const isDown = kill % 3 === 0;
    if (!isDown) await receiver.revive();
    instances[kill % count] = await start();
    if (isDown) {
      await delay(200);
      await receiver.revive();
    }
  }
  receiver.answer(204);
  // What waits is tried at once by an instance that begins.
  for (let one = 0; one < count; one++) {
    await any(one).end('SIGKILL');
    instances[one] = await start();
  }
  await eventually('each event is delivered', () => receiver.acknowledged().length >= written, LATE_MS);

  const acknowledged = receiver.acknowledged();
  expect(acknowledged).to.have.lengthOf(written);
  for (let office = 0; office < OFFICES; office++) {
    const entity = `office-${officeOf(office)}`;
    const own = acknowledged.filter((message) => message.entity === entity);
    expect(own.map(({ revision }) => revision)).to.deep.equal(own.map((_, index) => index));
    // No event is sent before the one before it was taken.
    const taken = new Set<number>([-1]);
    for (const { message, isAcknowledged } of receiver.received) {
      if (message.entity !== entity) continue;
      expect(taken, `${entity} before revision ${message.revision}`).to.include(message.revision - 1);
      if (isAcknowledged) taken.add(message.revision);
    }
  }
  for (const each of receiver.received.slice(-1)) verify(secret, each);
  for (const each of instances) await each.end('SIGTERM');
};

describe('A webhook whose service is killed again and again, and whose receiver is slow, wrong or down in turns', function () {
  this.timeout(400_000);
  let receiver: Receiver;
  let directory: string;
  beforeEach(async () => {
    receiver = await startReceiver();
    directory = await mkdtemp(join(tmpdir(), 'hiring-webhooks-'));
  });
  afterEach(async () => {
    killLeftProcesses();
    await receiver.stop();
    await rm(directory, { recursive: true, force: true });
  });

  it(`gets each event, and those of an entity first in order (${KILLS} kills)`, () =>
    expectEachDelivered(receiver, () => serveProcess(directory, demo), 1));
});

const ON_SERVERS = 'A webhook whose three instances are killed in turns';
withBothServers(ON_SERVERS, (servers) => {
  describe(ON_SERVERS, function () {
    this.timeout(600_000);

    it(`gets each event, and those of an entity first in order (${KILLS} kills)`, async () => {
      const [receiver, instances] = [await startReceiver(), await newInstances(servers)];
      try {
        await expectEachDelivered(receiver, () => instances.start(demo), 3);
      } finally {
        await instances.end();
        await receiver.stop();
      }
    });
  });
});
