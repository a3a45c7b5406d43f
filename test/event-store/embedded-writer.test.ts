import { copyFile, mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { BroadcastChannel, Worker } from 'node:worker_threads';
import { expect } from 'chai';
import { openEmbeddedEventStore, readEmbeddedHead } from '../../src/event-store/embedded/event-store.ts';
import { LogUnavailableError, NO_STREAM, type EventStore, type Position } from '../../src/event-store/port.ts';
import { connectWorker } from '../../src/lib/worker-client.ts';
import { openWriter } from '../../src/sqlite/connections.ts';
import { batchesAfter } from '../contract/event-store-records.ts';
import { appended, begin, newEvents, newIdempotencyRecord, newStream } from '../contract/new-events.ts';
import { eventually } from '../support/eventually.ts';
import { rejectionOf } from '../support/refusal-of.ts';

const script = new URL('./ending-writer.js', import.meta.url);
const ROUNDS = 8;
const AT_ONCE = 40;

describe('The thread that writes the file of events', () => {
  let directory: string;
  let file: string;
  let store: EventStore;
  let writer: Worker | undefined;
  let channel: BroadcastChannel;
  let started: Position[];
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'writer-'));
    file = join(directory, 'events.db');
    started = [];
    channel = new BroadcastChannel(file);
    store = await openEmbeddedEventStore(file, {
      startWriter: () => connectWorker((writer = new Worker(script, { workerData: file }))),
      onWriterStarted: (head) => started.push(head),
    });
  });
  afterEach(async () => {
    channel.close();
    await store.close();
    await rm(directory, { recursive: true });
  });

  const newAppend = () => ({
    stream: newStream(),
    expectedRevision: NO_STREAM,
    events: newEvents(2),
    idempotencyRecord: newIdempotencyRecord(),
  });
  const failureOf = (append: Parameters<EventStore['append']>[0]) => rejectionOf(store.append(append));
  /** Repeats an append under its key, as a client does, until it succeeds. */
  const untilDecided = async (append: ReturnType<typeof newAppend>): Promise<void> => {
    await eventually('it is decided', async () => (await failureOf(append)) === undefined);
  };

  it('takes no append while its file is moved away, or another one stands in its place', async () => {
    await appended(store, newAppend());
    const elsewhere = join(directory, 'elsewhere.db');
    await rename(file, elsewhere);
    expect(await failureOf(newAppend())).to.be.instanceOf(LogUnavailableError);
    await copyFile(elsewhere, file);
    expect(await failureOf(newAppend())).to.have.property(
      'message',
      'the event log cannot be written: its file was moved or replaced: put it back, or restart the service',
    );
    await rename(elsewhere, file);
    await appended(store, newAppend());
  });

  it('loses nothing that it has acknowledged when it ends, and what is asked again is stored once', async () => {
    const all: ReturnType<typeof newAppend>[] = [];
    for (let round = 1; round <= ROUNDS; round++) {
      // Given appends around the end of the writing thread: some stored before it, some not, and some made after it
      const appends = Array.from({ length: AT_ONCE }, newAppend);
      all.push(...appends);
      const asked: Promise<unknown>[] = [];
      for (const append of appends) {
        asked.push(failureOf(append));
        if (asked.length === round * 4) channel.postMessage('end');
        await setImmediate();
      }

      // When those that failed are repeated
      for (const [index, failure] of (await Promise.all(asked)).entries()) {
        if (failure !== undefined) expect(failure).to.be.instanceOf(LogUnavailableError);
        const append = appends[index];
        if (failure !== undefined && append) await untilDecided(append);
      }
      await eventually('another one has started', () => started.length === round);
    }

    // Then each is there once, in an event log without gaps
    for (const { stream, events, idempotencyRecord } of all) {
      expect((await store.readStream(stream)).map(({ id }) => id)).to.deep.equal(events.map(({ id }) => id));
      expect(await store.findIdempotencyRecord(idempotencyRecord)).to.include({ kind: 'found' });
    }
    expect(readEmbeddedHead(file)).to.equal(all.length * 2);
  });

  it('has what it stored without saying so read after it ended', async () => {
    // Given a stream whose end the store has cached, and an append that is stored and not acknowledged
    const { stream, position } = await begin(store, 1);
    await store.readStream(stream);
    writer?.removeAllListeners('message');
    const failing = failureOf({ stream, expectedRevision: 0, events: newEvents(1) });
    await eventually('it is stored', () => readEmbeddedHead(file) === 2);
    channel.postMessage('end');
    expect(await failing).to.be.instanceOf(LogUnavailableError);

    // Then the event is given to a read of the stream, and to a subscription
    const [event] = await store.readStream(stream, 1);
    expect(event?.revision).to.equal(1);
    await eventually('another one has started', () => started.length === 1);
    expect(started).to.deep.equal([event?.position]);
    expect(await store.head()).to.equal(event?.position);
    expect((await batchesAfter(store, position)).flatMap(({ events }) => events)).to.deep.equal([event]);
    await appended(store, { stream, expectedRevision: 1, events: newEvents(1) });
  });

  // A connection waits for 5 s until it gives a locked file up.
  it('fails an append while another process holds the file, and goes on', async () => {
    const holder = openWriter(file, 'NORMAL');
    holder.exec('BEGIN IMMEDIATE');
    try {
      expect(await failureOf(newAppend())).to.be.instanceOf(LogUnavailableError);
    } finally {
      holder.exec('ROLLBACK');
      holder.close();
    }
    expect(await failureOf(newAppend())).to.equal(undefined);
    expect(started).to.deep.equal([]);
  });
});
