import { scrubText } from '../monitoring/log-scrubber.ts';
import { remembered } from '../lib/memoize.ts';

/** What the application log tells of an answered request. */
export interface RequestLine {
  readonly requestId: string;
  /** Whether the client has given the id, and not the service. */
  readonly isGiven: boolean;
  readonly operation: { readonly name: string };
  readonly method: string;
  /** Without what a client has put into it. */
  readonly path: string;
  readonly status: number;
  readonly ms: number;
  readonly key: { readonly name: string } | undefined;
}

let lastMs = NaN;
let lastTime = '';

/** Many requests share a millisecond. */
const timeNow = (): string => {
  const now = Date.now();
  if (now !== lastMs) lastTime = new Date((lastMs = now)).toISOString();
  return lastTime;
};

const operationJson = remembered(({ name }: RequestLine['operation']) => JSON.stringify(name));
const keyJson = remembered(
  ({ name }: NonNullable<RequestLine['key']>) => `,"key":${JSON.stringify(scrubText(name))}`,
);

/**
 * The line as pino writes it. Each part that others choose is scrubbed by itself, and the names of keys once: the rest is made of words
 * of this code and of numbers, so the line as a whole need not be looked through.
 */
export const requestLine = (line: RequestLine): string => {
  const { requestId, isGiven, operation, method, path, status, ms, key } = line;
  const id = isGiven ? JSON.stringify(scrubText(requestId, false)) : `"${requestId}"`;
  return (
    `{"level":30,"time":"${timeNow()}","requestId":${id},"operation":${operationJson(operation)},` +
    `"method":"${method}","path":"${path}","status":${status},"ms":${ms}${key ? keyJson(key) : ''},"msg":"answered"}\n`
  );
};
