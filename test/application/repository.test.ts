import { expect } from 'chai';
import { Type } from '../../src/schema/typebox.ts';
import type { Decider } from '../../src/streams/decider.ts';
import { defineEvent } from '../../src/streams/events.ts';
import { createRepository } from '../../src/application/repository.ts';
import { metadata } from '../support/examples.ts';
import { openMemoryEventStore } from '../support/memory-stores.ts';

const events = [defineEvent('Counted', 'Something was counted.', { by: Type.Integer() })];
const counts: Decider<number, typeof events> = {
  category: 'counts',
  events,
  initialState: 0,
  sizeOf: (count) => count,
  evolve: (count, { data }) => count + data.by,
};
const at = (size: number) => ({ state: size, revision: 0, position: '1', recordedAt: '' });

describe('A state that is loaded', () => {
  it('is remembered: what is loaded again is only what was appended since', async () => {
    const store = openMemoryEventStore();
    const reads: (number | undefined)[] = [];
    const repository = createRepository({
      readStream: (stream, fromRevision) => {
        reads.push(fromRevision);
        return store.readStream(stream, fromRevision);
      },
    });
    const append = (number: number) =>
      store.append({
        stream: 'counts-a',
        expectedRevision: number - 1,
        events: [{ id: `e${number}`, type: 'Counted', version: 1, data: { by: 2 }, metadata }],
      });
    await append(0);
    expect((await repository.load(counts, 'a')).state).to.equal(2);
    await append(1);
    expect((await repository.load(counts, 'a')).state).to.equal(4);
    expect(reads).to.deep.equal([0, 1]);
  });
});

describe('The states that are remembered', () => {
  const remembering = () => createRepository(openMemoryEventStore());

  it('are those that were used last, when they are too many', () => {
    const repository = remembering();
    for (let id = 0; id <= 10_000; id++) repository.appended(counts, String(id), at(1));
    expect(repository.cached(counts, '0')).to.equal(undefined);
    expect(repository.cached(counts, '1')?.state).to.equal(1);
  });

  it('are fewer where they hold much', () => {
    const repository = remembering();
    for (const id of ['a', 'b', 'c']) repository.appended(counts, id, at(80_000));
    expect(['a', 'b', 'c'].map((id) => repository.cached(counts, id) !== undefined)).to.deep.equal([false, true, true]);
  });

  it('make room again for what they held before', () => {
    const repository = remembering();
    for (let turn = 0; turn < 5; turn++) repository.appended(counts, 'a', at(150_000));
    repository.appended(counts, 'b', at(10));
    expect(repository.cached(counts, 'a')?.state).to.equal(150_000);
  });

  it('keep the one in use, however much it holds', () => {
    const repository = remembering();
    repository.appended(counts, 'a', at(300_000));
    expect(repository.cached(counts, 'a')?.state).to.equal(300_000);
  });
});
