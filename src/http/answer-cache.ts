import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { ValidityFlag } from '../read-models/port.ts';

/** The encoded body of a 200. */
export interface EtaggedBody {
  readonly bytes: Buffer;
  /** Strong (RFC 9110, 8.8.1): a hash of the bytes, so equal at every instance. */
  readonly etag: string;
}

export const toEtaggedBody = (bytes: Buffer): EtaggedBody => ({
  bytes,
  etag: `"${hash('sha256', bytes, 'base64url')}"`,
});

/**
 * Whether `If-None-Match` names an ETag, by the weak comparison (RFC 9110, 8.8.3.2 and 13.1.2). Koa's own check never
 * matches with `Cache-Control: no-cache`, which browsers send when a script sets `If-None-Match` (Fetch Standard, 4.5).
 */
export const matchesEtag = (ifNoneMatch: string, etag: string): boolean =>
  ifNoneMatch.trim() === '*' || ifNoneMatch.split(',').some((given) => given.trim().replace(/^W\//, '') === etag);

interface CachedAnswer {
  readonly answer: EtaggedBody;
  /** Of everything the answer was made of. */
  readonly validities: readonly ValidityFlag[];
}

const MAX_BYTES = 16 * 1_024 * 1_024;
/** Estimated overhead of an entry. */
const ENTRY_BYTES = 500;

/**
 * A cache of answers, by caller and question. An answer holds until something it was made of changes: a query depends
 * on nothing else (src/application/query.ts).
 *
 * @param maxBytes of all answers with their keys
 */
export const createAnswerCache = (maxBytes = MAX_BYTES) => {
  const cache = new LRUCache<string, CachedAnswer>({
    maxSize: maxBytes,
    sizeCalculation: ({ answer }, question) => ENTRY_BYTES + 2 * question.length + answer.bytes.length,
  });

  return {
    /** Whether an answer is cached, current or not: the question is then valid. */
    has: (question: string): boolean => cache.has(question),

    current(question: string): EtaggedBody | undefined {
      const entry = cache.get(question);
      return entry?.validities.every(({ isCurrent }) => isCurrent) ? entry.answer : undefined;
    },

    keep(question: string, answer: EtaggedBody, validities: readonly ValidityFlag[]): void {
      cache.set(question, { answer, validities });
    },
  };
};
export type AnswerCache = ReturnType<typeof createAnswerCache>;
