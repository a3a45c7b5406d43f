import { once } from 'node:events';
import { expect } from 'chai';
import { forbidden } from '../../src/errors/domain-error.ts';
import { isOutOfMemory, streamFromNewWorker, waitForWorkers, type WorkerClient } from '../../src/lib/worker-client.ts';
import type { TaskHandler } from '../../src/lib/worker-task.ts';
import { eventually } from '../support/eventually.ts';
import { rejectionOf } from '../support/refusal-of.ts';
import { slowness } from '../support/slowness.ts';
import { startHere } from '../support/threads-here.ts';
import type { CountTask, Streaming } from './task-thread.ts';

const module = new URL('./task-thread.js', import.meta.url);
const unset = (): Int32Array => new Int32Array(new SharedArrayBuffer(4));
const hasEnded = (...some: readonly Int32Array[]) =>
  eventually('the threads have ended by themselves', () => some.every(([isEnded]) => isEnded === 1), 5_000);

describe('The stream of a task in a thread of its own', () => {
  const numbersOf = (input: Streaming, signal?: AbortSignal, heapMb = 64) =>
    streamFromNewWorker<CountTask>(module, input, { resourceLimits: { maxOldGenerationSizeMb: heapMb }, signal });
  const failureOf = async (numbers: AsyncIterable<number>): Promise<unknown> => {
    try {
      for await (const _ of numbers);
    } catch (error) {
      return error;
    }
    return undefined;
  };

  it('has the thread end by itself where its reader leaves off, and the one that it reads from', async () => {
    const [ended, endedWithin] = [unset(), unset()];
    for await (const number of numbersOf({ ended, from: { ended: endedWithin } })) if (number === 40) break;
    await hasEnded(ended, endedWithin);
  });

  it('ends at once when it is aborted, though the threads hear of it later', async () => {
    const [ended, endedWithin, deaf] = [unset(), unset(), unset()];
    const aborting = new AbortController();
    const from = { deafMs: 1_000 * slowness(), deaf, ended: endedWithin };
    const failure = failureOf(numbersOf({ ended, from }, aborting.signal));
    await eventually('the inner thread hears nothing', () => deaf[0] === 1);
    const aborted = performance.now();
    aborting.abort();
    expect(await failure).to.equal(undefined);
    expect(performance.now() - aborted).to.be.below(500 * slowness());
    await hasEnded(ended, endedWithin);
  });

  it('is not begun by a thread that is told to end while it loads', async () => {
    const deaf = unset();
    const aborting = new AbortController();
    setImmediate(() => aborting.abort());
    expect(await failureOf(numbersOf({ ended: unset(), deaf, deafMs: 10_000 }, aborting.signal))).to.equal(undefined);
    await waitForWorkers();
    expect(deaf[0]).to.equal(0);
  });

  it('fails as the task does, whatever it throws, once the thread that it reads from has ended by itself', async () => {
    const [ended, endedWithin] = [unset(), unset()];
    const failure = await failureOf(numbersOf({ ended, failsAt: 20, from: { ended: endedWithin } }));
    expect(failure).to.be.instanceOf(Error).and.include({ message: 'It fails at 20', code: 'SQLITE_FULL' });
    expect(endedWithin[0]).to.equal(1);
  });

  it('tells a thread that was out of memory from others', async () => {
    const failure = await failureOf(numbersOf({ ended: unset(), bytesAnItem: 4_000_000 }, undefined, 16));
    expect(isOutOfMemory(failure)).to.equal(true);
    expect(isOutOfMemory(new Error('It fails'))).to.equal(false);
  });
});

describe('A worker', () => {
  interface EchoTask {
    readonly input: string;
    readonly item: string;
    readonly status: string;
    readonly message: string;
    readonly result: string;
  }
  let worker: WorkerClient<EchoTask> | undefined;
  const start = (run: TaskHandler<EchoTask>['run'], close?: () => void) =>
    (worker = startHere<EchoTask>(() => ({ run, ...(close && { close }) }))());
  afterEach(async () => {
    worker?.close();
    await worker?.ended;
  });

  it('gives each task its result or its refusal, and does all that it was given before it closes', async () => {
    const done: string[] = [];
    const {
      start: run,
      close,
      ended,
    } = start(
      async (input) => {
        if (input === 'bad') throw forbidden('not that');
        await new Promise(setImmediate);
        done.push(input);
        return `done: ${input}`;
      },
      () => done.push('closed'),
    );
    const results = Promise.allSettled(['first', 'bad', 'last'].map((input) => run(input).result));
    close();
    expect(await results).to.containSubset([
      { status: 'fulfilled', value: 'done: first' },
      { status: 'rejected', reason: { reason: 'forbidden', message: 'not that' } },
      { status: 'fulfilled', value: 'done: last' },
    ]);
    await ended;
    expect(done).to.deep.equal(['first', 'last', 'closed']);
    expect(await rejectionOf(run('later').result)).to.have.property('message', 'There is no worker');
  });

  it('makes no more items than the window has room for', async () => {
    let made = 0;
    const { start: run } = start(async function* () {
      for (;;) yield await Promise.resolve(String(made++));
    });
    const items = run('', { window: 3 }).items();
    await items.next();
    await eventually('the window is full', () => made >= 3);
    for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate);
    expect(made).to.be.at.most(4);
    await items.return();
  });

  it('posts to a task, also before that listens, and is told how far it is', async () => {
    const statuses: string[] = [];
    const { start: run } = start(async (_input, { signal, post, onMessage }) => {
      await new Promise(setImmediate);
      onMessage((message) => post(`heard ${message}`));
      await once(signal, 'abort');
      return 'cancelled';
    });
    const task = run('', { onStatus: (status) => statuses.push(status) });
    task.post('early');
    await eventually('it has heard the first', () => statuses.length === 1);
    task.post('later');
    await eventually('it has heard both', () => statuses.length === 2);
    task.cancel();
    expect(await task.result).to.equal('cancelled');
    expect(statuses).to.deep.equal(['heard early', 'heard later']);
  });
});
