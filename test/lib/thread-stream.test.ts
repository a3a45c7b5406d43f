import { expect } from 'chai';
import { isOutOfMemory, streamOfThread } from '../../src/lib/thread-stream.ts';
import { eventually } from '../support/eventually.ts';
import { slowness } from '../support/slowness.ts';
import type { Streaming } from './streaming-thread.ts';

const unset = (): Int32Array => new Int32Array(new SharedArrayBuffer(4));
const hasEnded = (...some: readonly Int32Array[]) =>
  eventually('the threads have ended by themselves', () => some.every(([isEnded]) => isEnded === 1), 5_000);

describe('The stream of a thread', () => {
  const numbersOf = (workerData: Streaming, signal = new AbortController().signal, heapMb = 64) =>
    streamOfThread<number>(
      new URL('./streaming-thread.js', import.meta.url),
      { workerData, resourceLimits: { maxOldGenerationSizeMb: heapMb } },
      signal,
    );
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
    const ended = unset();
    const aborting = new AbortController();
    setImmediate(() => aborting.abort());
    expect(await failureOf(numbersOf({ ended, deafMs: 10_000 }, aborting.signal))).to.equal(undefined);
    await hasEnded(ended);
  });

  it('fails as the thread does, once the one that it reads from has ended by itself', async () => {
    const [ended, endedWithin] = [unset(), unset()];
    const failure = await failureOf(numbersOf({ ended, failsAt: 20, from: { ended: endedWithin } }));
    expect(failure).to.have.property('message', 'It fails at 20');
    expect(endedWithin[0]).to.equal(1);
  });

  it('tells a thread that was out of memory from others', async () => {
    const failure = await failureOf(numbersOf({ ended: unset(), bytesAnItem: 4_000_000 }, undefined, 16));
    expect(isOutOfMemory(failure)).to.equal(true);
    expect(isOutOfMemory(new Error('It fails'))).to.equal(false);
  });
});
