import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { appendWithOwnConnection } from '../../src/event-store/embedded/appends.ts';
import { LogUnavailableError, NO_STREAM, START_POSITION, type EventStore } from '../../src/event-store/port.ts';
import { appended, begin, newEvents, newStream } from '../contract/new-events.ts';
import { openLogHere } from '../support/threads-here.ts';

describe('An append beside the writer of the file of events', () => {
  let directory: string;
  let file: string;
  let store: EventStore;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'beside-'));
    file = join(directory, 'events.db');
    store = await openLogHere(file);
  });
  afterEach(async () => {
    await store.close();
    await rm(directory, { recursive: true });
  });
  const beside = (stream: string, expectedRevision: number, count = 1) =>
    appendWithOwnConnection(file, { stream, expectedRevision, events: newEvents(count) });

  it('is seen in a stream that was empty, and at the head', async () => {
    const stream = newStream();
    expect(await store.readStream(stream)).to.deep.equal([]);
    expect(beside(stream, NO_STREAM, 2)).to.include({ kind: 'appended' });
    expect(await store.readStream(stream)).to.have.lengthOf(2);
    expect(await store.head()).to.equal((await store.readAll(START_POSITION, 10)).at(-1)?.position);
  });

  it('is refused at a wrong revision, and has the store find out about its own', async () => {
    const { stream } = await begin(store, 2);
    expect(beside(stream, 0)).to.deep.equal({ kind: 'wrong-revision' });
    expect(beside(stream, 1)).to.include({ kind: 'appended' });

    const late = { stream, expectedRevision: 1, events: newEvents(1) };
    expect(await store.append(late)).to.deep.equal({ kind: 'wrong-revision' });
    expect(await store.readStream(stream, 2)).to.have.lengthOf(1);
    await appended(store, { ...late, expectedRevision: 2 });
    expect(await store.readStream(stream)).to.have.lengthOf(4);
  });

  it('reaches a subscription that waits at the end, though the store is not told of it', async () => {
    const { position } = await begin(store, 1);
    const { signal } = new AbortController();
    const stream = newStream();
    const batches = store.subscribe(position, { batchSize: 10, signal })[Symbol.asyncIterator]();
    const next = batches.next();
    beside(stream, NO_STREAM);
    const batch = await next;
    expect(batch.done === true ? [] : batch.value.events.map((event) => event.stream)).to.deep.equal([stream]);
    await batches.return?.(undefined);
  });

  it('loses nothing among the appends of the store', async () => {
    const [ours, theirs] = [newStream(), newStream()];
    const appends = Array.from({ length: 40 }, async (_, round) => {
      await store.append({ stream: `${ours}-${round}`, expectedRevision: NO_STREAM, events: newEvents(1) });
      return beside(`${theirs}-${round}`, NO_STREAM);
    });
    await Promise.all(appends);
    const events = await store.readAll(START_POSITION, 100);
    expect(events.map(({ position }) => Number(position))).to.deep.equal(events.map((_, index) => index + 1));
    expect(events).to.have.lengthOf(80);
  });

  it('says that the event log cannot be written, where the file is none', () => {
    expect(() => appendWithOwnConnection(directory, { stream: 's', expectedRevision: -1, events: [] })).to.throw(
      LogUnavailableError,
      'the event log cannot be written',
    );
  });

  it('leaves checkpoints to the writer, while that has the file', async () => {
    await begin(store, 1);
    const written = async () => (await stat(file)).mtimeMs;
    const before = await written();
    for (let round = 0; round < 5; round++) beside(newStream(), NO_STREAM);
    expect(await written()).to.equal(before);
  });
});
