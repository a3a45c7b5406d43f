import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { expect } from 'chai';
import type { WriterProtocol } from '../../src/event-store/embedded/append-task-handler.ts';
import { openRestartedWorker, type RestartedWorker, type WorkerEvents } from '../../src/lib/restarted-worker.ts';
import { connectWorker, WorkerEndedError } from '../../src/lib/worker-client.ts';
import { newEvent } from '../contract/new-events.ts';
import { eventually } from '../support/eventually.ts';

const script = new URL('../../src/event-store/embedded/writer.thread.js', import.meta.url);
const append = () => ({ stream: crypto.randomUUID(), expectedRevision: -1, events: [newEvent()] });

describe('A worker that is started again', () => {
  let directory: string;
  let restarted: RestartedWorker<WriterProtocol> | undefined;
  let workers: Worker[];
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'restarted-'));
    workers = [];
  });
  afterEach(async () => {
    await restarted?.close();
    await rm(directory, { recursive: true });
  });

  const open = async (file = () => join(directory, 'events.db'), events: WorkerEvents = {}) => {
    const spawn = () => {
      const worker = new Worker(script);
      workers.push(worker);
      return connectWorker<WriterProtocol>(worker);
    };
    const first = {
      get file() {
        return file();
      },
    };
    return (restarted = await openRestartedWorker(spawn, first, events));
  };
  const end = () => workers.at(-1)?.terminate();
  const works = () => eventually('it works', async () => (await restarted?.run(append())) !== undefined);

  it('fails what cannot be sent, and goes on', async () => {
    const opened = await open();
    const [outcome] = await Promise.allSettled([
      opened.run({ ...append(), expectedRevision: (() => undefined) as never }),
    ]);
    expect(String(outcome.status === 'rejected' && outcome.reason)).to.match(/could not be cloned/);
    expect(await opened.run(append())).to.include({ kind: 'appended' });
  });

  it('fails all that the worker had not answered when it ended, and works with another one', async () => {
    const told: string[] = [];
    const opened = await open(undefined, {
      onEnded: (error) => told.push(error.message),
      onStarted: () => told.push('started'),
    });
    const asked = Array.from({ length: 50 }, () => opened.run(append()));
    await end();
    for (const outcome of await Promise.allSettled(asked))
      if (outcome.status === 'rejected') expect(outcome.reason).to.be.instanceOf(WorkerEndedError);
    await works();
    expect(told).to.deep.equal(['The worker has ended', 'started']);
  });

  it('fails at once what is asked while there is no worker', async () => {
    const opened = await open();
    await end();
    const [outcome] = await Promise.allSettled([opened.run(append())]);
    expect(outcome.status === 'rejected' && outcome.reason).to.be.instanceOf(WorkerEndedError);
  });

  it('goes on trying while none can be started', async () => {
    let isBroken = false;
    const told: string[] = [];
    const file = () => (isBroken ? directory : join(directory, 'events.db'));
    await open(file, { onEnded: (error) => told.push(error.message) });
    isBroken = true;
    await end();
    await eventually('it has tried in vain', () => told.length >= 3);
    isBroken = false;
    await works();
    expect(told.slice(1).every((text) => text.includes(`${directory} cannot be opened`))).to.equal(true);
  });

  it('starts one that ends again and again at growing pauses', async () => {
    const started: number[] = [];
    await open(undefined, { onStarted: () => started.push(performance.now()) });
    for (let count = 1; count <= 4; count++) {
      await end();
      await eventually('there is another one', () => started.length === count);
    }
    const [first = 0, , , last = 0] = started;
    expect(last - first).to.be.at.least(300);
  });

  it('can be closed while there is no worker', async () => {
    const opened = await open();
    await end();
    await opened.close();
    const [outcome] = await Promise.allSettled([opened.run(append())]);
    expect(outcome.status).to.equal('rejected');
    expect(workers).to.have.length(1);
  });

  it('does what it was asked before it was closed', async () => {
    const opened = await open();
    const asked = opened.run(append());
    await opened.close();
    expect(await asked).to.include({ kind: 'appended' });
  });
});
