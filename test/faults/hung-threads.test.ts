import { expect } from 'chai';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rowsAt } from '../http/answer-rules.ts';
import { objectAt } from '../http/openapi-check.ts';
import { eventually } from '../support/eventually.ts';
import { bodies } from '../support/examples.ts';
import { configured, killLeftProcesses, sendTo, serveProcess, type Running } from '../support/process.ts';
import { untilReady } from '../support/service.ts';

const PRELOAD = new URL('./preload-hang.js', import.meta.url).href;
type Thread = 'writer' | 'projector' | 'history';

describe('A thread that hangs', () => {
  let directory: string;
  let hangs: string;
  let service: Running;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'hiring-hung-'));
    await mkdir((hangs = join(directory, 'hangs')));
    service = await serveProcess(directory, {
      ...configured,
      STOP_SECONDS: '2',
      NODE_OPTIONS: `--import=${PRELOAD}`,
      HANG_IN: hangs,
    });
    await untilReady(service.url);
  });
  afterEach(async () => {
    killLeftProcesses();
    await service.ended;
    await rm(directory, { recursive: true });
  });

  const hang = async (thread: Thread) => {
    await writeFile(join(hangs, thread), '');
    await eventually(`the ${thread} stands still`, () => existsSync(join(hangs, `${thread}-stands`)));
  };
  const goOn = (thread: Thread) => rm(join(hangs, thread));
  const ready = async () => {
    const { status, body } = await sendTo(service, 'GET', '/health/ready');
    return { status, body };
  };
  const notReady = (reason: string) =>
    eventually(reason, async () => {
      const { status, body } = await ready();
      return status === 503 && JSON.stringify(body).includes(reason);
    });
  const metric = async (thread: Thread) => {
    const { body } = await sendTo(service, 'GET', '/metrics');
    return new RegExp(`^thread_hung\\{thread="${thread}"\\} (\\d)$`, 'm').exec(String(body))?.[1];
  };
  /** Threads that the overview for administrators tells of as silent, and its status. */
  const overview = async () => {
    const { body } = await sendTo(service, 'GET', '/admin/projections', { as: 'admin' });
    const { status, threads } = objectAt(body, 'service');
    return { status, silent: rowsAt(threads).flatMap(({ name, isAnswering }) => (isAnswering === true ? [] : [name])) };
  };
  const linesWith = (text: string) => service.lines.filter((line) => line.includes(text));
  const write = (id: string) => sendTo(service, 'PUT', `/internal/offices/${id}`, { body: bodies.office });
  const figures = () => sendTo(service, 'GET', '/history/events?limit=1', { as: 'admin' });

  it('and writes the log: writes are 503, those that wait too, until it answers; the log says both once', async () => {
    await hang('writer');
    const waiting = await write('waits');
    expect(waiting.status).to.equal(503);
    expect(waiting.headers.get('Retry-After')).to.match(/^\d+$/);
    const started = performance.now();
    expect((await write('comes-later')).status).to.equal(503);
    expect(performance.now() - started).to.be.below(2_000);
    await notReady('nothing can be stored: the thread that writes the log does not answer');
    expect(await metric('writer')).to.equal('1');
    expect(await overview()).to.deep.equal({ status: 'not ready', silent: ['writer'] });

    await goOn('writer');
    await untilReady(service.url);
    expect((await write('waits')).status).to.equal(204);
    expect(await metric('writer')).to.equal('0');
    expect(await overview()).to.deep.equal({ status: 'ready', silent: [] });
    await eventually('the log says so', () => linesWith('is stored again').length === 1);
    expect(linesWith('Nothing can be stored')).to.have.length(1);
  });

  for (const thread of ['projector', 'history'] as const)
    it(`and is that of the ${thread}: the service is not ready, and says so once`, async () => {
      await figures();
      await hang(thread);
      const waiting = thread === 'history' ? await figures() : undefined;
      await notReady(`the thread of the ${thread} does not answer`);
      expect(await metric(thread)).to.equal('1');
      expect(await overview()).to.deep.equal({ status: 'not ready', silent: [thread] });
      if (waiting) {
        expect([waiting.status, (await figures()).status]).to.deep.equal([503, 503]);
        expect(waiting.headers.get('Retry-After')).to.match(/^\d+$/);
      } else expect((await write('an-office')).status).to.equal(204);

      await goOn(thread);
      await untilReady(service.url);
      expect((await figures()).status).to.equal(200);
      expect(await metric(thread)).to.equal('0');
      await eventually('the log says so', () => linesWith('does so again').length === 1);
      expect(linesWith('A thread does not answer')).to.have.length(1);
    });

  for (const [thread, open] of [
    ['writer', 'the event log'],
    ['projector', 'the projector'],
  ] as const)
    it(`and is the ${thread}'s does not hold up a stop for longer than STOP_SECONDS, and is named`, async () => {
      await hang(thread);
      const started = performance.now();
      process.kill(service.pid, 'SIGTERM');
      expect(await service.ended).to.equal('SIGKILL');
      expect(performance.now() - started).to.be.within(1_900, 5_000);
      expect(linesWith('The stop has not ended in time')[0]).to.include(`"waitsFor":"${open}"`);
    });

  it('holds up no second signal, which ends the process at once; those within a second are one', async () => {
    await hang('projector');
    process.kill(service.pid, 'SIGTERM');
    process.kill(service.pid, 'SIGINT');
    await eventually('it stops', () => linesWith('"msg":"stopping"').length === 1);
    const started = performance.now();
    await eventually('a later signal is one more', () => performance.now() - started > 1_200);
    process.kill(service.pid, 'SIGTERM');
    expect(await service.ended).to.equal('SIGKILL');
    expect(linesWith('The stop has not ended in time')).to.deep.equal([]);
  });
});
