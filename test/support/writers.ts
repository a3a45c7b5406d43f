import { expect } from 'chai';
import { setTimeout as delay } from 'node:timers/promises';
import type { EventLog } from '../../src/event-store/port.ts';
import { START_POSITION } from '../../src/event-store/port.ts';
import { bodies } from './examples.ts';
import { processKeys } from './process.ts';
import { tokenFor } from './service.ts';

/** Clients that write concurrently until the test ends them, and retry until they are answered. */
export interface Writers {
  /** Resolves after so many more answers; rejects when a writer fails. */
  readonly more: (answers: number) => Promise<void>;
  /** Ends the writers; gives how many acknowledged rounds of saving or unsaving and applying each has made. */
  readonly end: () => Promise<readonly number[]>;
}

/** The target of a request, asked again each time. */
export type Route = () => string;

const PAUSE_MS = 20;

/**
 * Starts writers. Each saves and unsaves one posting in turn, and applies to it as a new professional each time, every
 * request under an Idempotency-Key of its own. A request without an answer is retried under the same key.
 *
 * @param isNoAnswer which statuses count as no answer; where it is left out, all but success are failures
 */
export const startWriters = async (
  count: number,
  route: Route,
  isNoAnswer: (status: number) => boolean = () => false,
): Promise<Writers> => {
  let isOver = false;
  let answers = 0;
  const waiting = new Set<() => void>();

  const send = async (method: string, path: string, body: unknown, key: string, token?: string): Promise<void> => {
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
      await delay(PAUSE_MS);
    }
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
    end() {
      isOver = true;
      return writing;
    },
  };
};

/**
 * Expects each write once in the event log, and the writes of each writer in order.
 *
 * @param done how many acknowledged rounds each writer has made
 */
export const expectEachOnce = async (
  store: Pick<EventLog, 'readStream' | 'readAll'>,
  done: readonly number[],
): Promise<void> => {
  for (const [writer, times] of done.entries()) {
    const types = (await store.readStream(`savedPostings-professional-${writer}`)).map(({ type }) => type);
    const turns = Array.from({ length: times }, (_, turn) => (turn % 2 === 0 ? 'PostingSaved' : 'PostingUnsaved'));
    expect(types, `the saves of writer ${writer}`).to.deep.equal(turns);
  }
  const all = await store.readAll(START_POSITION, 1_000_000);
  const applied = all.flatMap(({ type, data }) => (type === 'CandidateApplied' ? [data['professionalId']] : []));
  const expected = done.flatMap((times, writer) =>
    Array.from({ length: times }, (_, turn) => `professional-${writer}-${turn}`),
  );
  expect(applied.sort()).to.deep.equal(expected.sort());
};
