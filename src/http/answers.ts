import { hash } from 'node:crypto';
import type { Validity } from '../read-models/port.ts';

/** The body of a 200, as it is sent. */
export interface Answer {
  readonly bytes: Buffer;
  /** Strong (RFC 9110, 8.8.1): of the bytes, so that every instance gives the same one for the same answer. */
  readonly etag: string;
}

export const createAnswer = (bytes: Buffer): Answer => ({
  bytes,
  etag: `"${hash('sha256', bytes, 'base64url')}"`,
});

/**
 * Whether an `If-None-Match` names an ETag, by the weak comparison (RFC 9110, 8.8.3.2 and 13.1.2). Koa's own check takes
 * `Cache-Control: no-cache` for a no, which browsers send with each `If-None-Match` that a script sets (Fetch Standard, 4.5).
 */
export const namesEtag = (ifNoneMatch: string, etag: string): boolean =>
  ifNoneMatch.trim() === '*' ||
  ifNoneMatch.split(',').some((given) => given.trim().replace(/^W\//, '') === etag);

interface Kept {
  readonly answer: Answer;
  /** All that the answer was made of. */
  readonly validities: readonly Validity[];
  readonly size: number;
}

const MAX_BYTES = 16 * 1_024 * 1_024;
/** Of an entry beside its answer and its key, about. */
const ENTRY_BYTES = 500;

const isCurrent = ({ isCurrent }: Validity): boolean => isCurrent;

/**
 * The answers that were given last. One is given again for the same question by the same caller as long as all that it was
 * made of is as it was then, so it is what the query would find: a query depends on nothing else (src/query-handling/query.ts).
 *
 * @param maxBytes of all together, with their keys
 */
export const createAnswers = (maxBytes = MAX_BYTES) => {
  /** The least recently used first. */
  const kept = new Map<string, Kept>();
  let bytes = 0;

  const forget = (question: string): void => {
    bytes -= kept.get(question)?.size ?? 0;
    kept.delete(question);
  };

  return {
    /** Whether the question was answered lately, whatever has changed since: then it is a valid one. */
    has: (question: string): boolean => kept.has(question),

    /** The answer, unless something that it was made of has changed since. */
    current(question: string): Answer | undefined {
      const entry = kept.get(question);
      if (!entry?.validities.every(isCurrent)) return undefined;
      kept.delete(question);
      kept.set(question, entry);
      return entry.answer;
    },

    keep(question: string, answer: Answer, validities: readonly Validity[]): void {
      forget(question);
      const size = ENTRY_BYTES + 2 * question.length + answer.bytes.length;
      kept.set(question, { answer, validities, size });
      bytes += size;
      for (const oldest of kept.keys()) {
        if (bytes <= maxBytes) break;
        forget(oldest);
      }
    },
  };
};
export type Answers = ReturnType<typeof createAnswers>;
