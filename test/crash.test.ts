import { expect } from 'chai';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEmbeddedEventStore } from '../src/event-store/embedded.ts';
import { bodies } from './examples.ts';
import { killLeftProcesses, processKeys, serveProcess, type Running } from './process.ts';
import { dumpReadModels } from './read-model-dump.ts';
import { tokenFor } from './service.ts';

const KILLS = 20;
const WRITERS = 8;
const ACKNOWLEDGED_BETWEEN_KILLS = 60;

/** Waits until a function says yes, asking again whenever something was acknowledged. */
const createCounter = () => {
  let count = 0;
  let waiting: { readonly target: number; readonly resolve: () => void } | undefined;
  return {
    increment() {
      count++;
      if (waiting && count >= waiting.target) waiting.resolve();
    },
    more: (by: number) => new Promise<void>((resolve) => (waiting = { target: count + by, resolve })),
  };
};

describe('A service that is killed again and again under concurrent writers', function () {
  this.timeout(180_000);
  let directory: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'hiring-crash-'));
  });
  afterEach(async () => {
    killLeftProcesses();
    await rm(directory, { recursive: true });
  });

  it(`loses nothing acknowledged, applies nothing twice, and its read models equal a rebuild (${KILLS} kills)`, async () => {
    let service: Running = await serveProcess(directory);
    let isBack = Promise.resolve();
    let isOver = false;
    const acknowledged = createCounter();

    /** Sends a request until it is answered, under one Idempotency-Key; only a dead connection is tried again. */
    const send = async (
      method: string,
      path: string,
      body: unknown,
      key: string,
      token?: string,
    ): Promise<void> => {
      for (;;) {
        const response = await fetch(service.url + path, {
          method,
          headers: {
            'Content-Type': 'application/json',
            'X-API-Key': token === undefined ? processKeys.internal : processKeys.client,
            'Idempotency-Key': key,
            ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
          },
          body: JSON.stringify(body),
        }).catch(() => undefined);
        if (response) {
          expect(response.status, await response.text()).to.be.lessThan(300);
          acknowledged.increment();
          return;
        }
        await isBack;
      }
    };

    await send('PUT', '/internal/postings/posting', bodies.posting, 'posting');

    /** Saves and unsaves in turn, and applies as somebody new each time: how often it was told that it is done. */
    const write = async (writer: number): Promise<number> => {
      let done = 0;
      while (!isOver) {
        const professional = `professional-${writer}`;
        const token = await tokenFor({ sub: `user-${writer}`, professional_id: professional });
        await send(
          'POST',
          `/professionals/postings/${done % 2 === 0 ? 'save' : 'unsave'}`,
          { postingId: 'posting' },
          `toggle-${done}`,
          token,
        );
        const applicant = await tokenFor({ sub: 'applicant', professional_id: `${professional}-${done}` });
        await send(
          'POST',
          '/postings/posting/candidates',
          bodies.application,
          `apply-${writer}-${done}`,
          applicant,
        );
        done++;
      }
      return done;
    };
    const writing = Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer)));

    for (let kill = 0; kill < KILLS; kill++) {
      await Promise.race([acknowledged.more(ACKNOWLEDGED_BETWEEN_KILLS), writing]);
      isBack = service.end('SIGKILL').then(async () => {
        service = await serveProcess(directory);
      });
      await isBack;
    }
    isOver = true;
    const done = await writing;
    expect(await service.end('SIGTERM')).to.equal(0);

    const store = await openEmbeddedEventStore(join(directory, 'events.db'));
    for (const [writer, times] of done.entries()) {
      const types = (await store.readStream(`savedPostings-professional-${writer}`)).map(({ type }) => type);
      const expected = Array.from({ length: times }, (_, index) =>
        index % 2 === 0 ? 'PostingSaved' : 'PostingUnsaved',
      );
      expect(types, `the saves of writer ${writer}`).to.deep.equal(expected);
    }
    const all = await store.readAll('0', 1_000_000);
    const applied = all.flatMap(({ type, data }) =>
      type === 'CandidateApplied' ? [data['professionalId']] : [],
    );
    const expected = done.flatMap((times, writer) =>
      Array.from({ length: times }, (_, index) => `professional-${writer}-${index}`),
    );
    expect(applied.sort()).to.deep.equal(expected.sort());
    await store.close();

    const file = join(directory, 'read-models.db');
    const kept = await caughtUp(directory, file);
    await Promise.all(['', '-wal', '-shm'].map((ending) => rm(file + ending, { force: true })));
    expect(await caughtUp(directory, file)).to.deep.equal(kept);
  });
});

/** The read models once they have everything. */
const caughtUp = async (directory: string, file: string) => {
  const service = await serveProcess(directory);
  for (;;) {
    const { status } = await fetch(`${service.url}/health/ready`);
    if (status === 200) break;
  }
  await service.end('SIGTERM');
  return dumpReadModels(file);
};
