import { expect } from 'chai';
import { setTimeout as delay } from 'node:timers/promises';
import type { EventStore } from '../../src/event-store/port.ts';
import { START } from '../../src/event-store/port.ts';
import { bodies } from './examples.ts';
import { processKeys } from './process.ts';
import { tokenFor } from './service.ts';

/** Clients that write at the same time, each until it is told to end, and ask again until they are answered. */
export interface Writers {
  /** Resolves after so many more answers; rejects when a writer fails. */
  readonly more: (answers: number) => Promise<void>;
  /** The longest that a request took until it was answered, with all that was asked again, in milliseconds. */
  readonly longest: () => number;
  /** How often a request was asked again. */
  readonly retries: () => number;
  /** Has them end; gives how often each has saved or unsaved, and applied, and was told that it is done. */
  readonly end: () => Promise<readonly number[]>;
}

/** Where a request goes; asked again each time. */
export type Route = () => string;

const PAUSE_MS = 20;

/**
 * Starts writers. Each saves and unsaves one posting in turn, and applies to it as somebody new each time, every request under
 * an Idempotency-Key of its own. What gets no answer is asked again under the same key.
 *
 * @param isNoAnswer which statuses are no better than none; where it is left out, all but success are failures
 */
export const startWriters = async (
  count: number,
  route: Route,
  isNoAnswer: (status: number) => boolean = () => false,
): Promise<Writers> => {
  let isOver = false;
  let [answers, retries, longest] = [0, 0, 0];
  const waiting = new Set<() => void>();

  const send = async (
    method: string,
    path: string,
    body: unknown,
    key: string,
    token?: string,
  ): Promise<void> => {
    const started = performance.now();
    for (;;) {
      const response = await fetch(route() + path, {
        method,
        headers: {
          'Content-Type': 'application/json',
          'X-API-Key': token === undefined ? processKeys.internal : processKeys.client,
          'Idempotency-Key': key,
          ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
        },
        body: JSON.stringify(body),
      }).catch(() => undefined);
      const text = await response?.text().catch(() => undefined);
      if (response && text !== undefined && !isNoAnswer(response.status)) {
        expect(response.status, text).to.be.lessThan(300);
        break;
      }
      retries++;
      await delay(PAUSE_MS);
    }
    longest = Math.max(longest, performance.now() - started);
    answers++;
    for (const look of waiting) look();
  };

  const write = async (writer: number): Promise<number> => {
    const professional = `professional-${writer}`;
    const token = await tokenFor({ sub: `user-${writer}`, professional_id: professional });
    let done = 0;
    for (; !isOver; done++) {
      const act = done % 2 === 0 ? 'save' : 'unsave';
      await send('POST', `/professionals/postings/${act}`, { postingId: 'posting' }, `toggle-${done}`, token);
      const applicant = await tokenFor({ sub: 'applicant', professional_id: `${professional}-${done}` });
      const key = `apply-${writer}-${done}`;
      await send('POST', '/postings/posting/candidates', bodies.application, key, applicant);
    }
    return done;
  };

  await send('PUT', '/internal/postings/posting', bodies.posting, 'posting');
  const writing = Promise.all(Array.from({ length: count }, (_, writer) => write(writer)));
  return {
    async more(by) {
      const target = answers + by;
      const enough = new Promise<void>((resolve) => waiting.add(() => answers >= target && resolve()));
      await Promise.race([enough, writing]);
    },
    longest: () => longest,
    retries: () => retries,
    end() {
      isOver = true;
      return writing;
    },
  };
};

/**
 * That the log holds each write once, and the writes of each writer in order.
 *
 * @param done how often each writer was told that it is done
 */
export const expectEachOnce = async (
  store: Pick<EventStore, 'readStream' | 'readAll'>,
  done: readonly number[],
): Promise<void> => {
  for (const [writer, times] of done.entries()) {
    const types = (await store.readStream(`savedPostings-professional-${writer}`)).map(({ type }) => type);
    const turns = Array.from({ length: times }, (_, turn) =>
      turn % 2 === 0 ? 'PostingSaved' : 'PostingUnsaved',
    );
    expect(types, `the saves of writer ${writer}`).to.deep.equal(turns);
  }
  const all = await store.readAll(START, 1_000_000);
  const applied = all.flatMap(({ type, data }) =>
    type === 'CandidateApplied' ? [data['professionalId']] : [],
  );
  const expected = done.flatMap((times, writer) =>
    Array.from({ length: times }, (_, turn) => `professional-${writer}-${turn}`),
  );
  expect(applied.sort()).to.deep.equal(expected.sort());
};
