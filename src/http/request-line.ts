import { scrubText } from '../monitoring/log-scrubber.ts';
import { memoize } from '../lib/memoize.ts';

/** What the application log tells of an answered request. */
export interface RequestLine {
  readonly requestId: string;
  /** Whether the client sent the id. */
  readonly isGiven: boolean;
  readonly operation: { readonly name: string };
  readonly method: string;
  /** Without text that a client chose. */
  readonly path: string;
  readonly status: number;
  readonly ms: number;
  readonly key: { readonly name: string } | undefined;
}

let lastMs = NaN;
let lastTime = '';

/** Cached, since many requests share a millisecond. */
const timeNow = (): string => {
  const now = Date.now();
  if (now !== lastMs) lastTime = new Date((lastMs = now)).toISOString();
  return lastTime;
};

const operationJson = memoize(({ name }: RequestLine['operation']) => JSON.stringify(name));
const keyJson = memoize(
  ({ name }: NonNullable<RequestLine['key']>) => `,"key":${JSON.stringify(scrubText(name))}`,
);

/**
 * The line as pino would write it. Only what clients or operators choose is scrubbed, names of API keys once; the rest
 * is words of this code and numbers.
 */
export const requestLine = (line: RequestLine): string => {
  const { requestId, isGiven, operation, method, path, status, ms, key } = line;
  const id = isGiven ? JSON.stringify(scrubText(requestId, false)) : `"${requestId}"`;
  return (
    `{"level":30,"time":"${timeNow()}","requestId":${id},"operation":${operationJson(operation)},` +
    `"method":"${method}","path":"${path}","status":${status},"ms":${ms}${key ? keyJson(key) : ''},"msg":"answered"}\n`
  );
};
