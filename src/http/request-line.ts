import { actorOf, type Caller } from '../access/access.ts';
import type { IpAddress } from '../lib/ip-address.ts';
import { scrubText } from '../monitoring/log-scrubber.ts';
import { memoize } from '../lib/memoize.ts';

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
  /** Undefined unless the caller was identified. */
  readonly caller: Caller | undefined;
  /** The client's, if it is known. */
  readonly address: IpAddress | undefined;
  /** Why the answer is a 401 or 403. */
  readonly refusal: string | undefined;
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

const actorJson = memoize(
  (caller: Caller) => `,"actor":${JSON.stringify(scrubText(actorOf(caller), false))}`,
);
const addressJson = memoize((address: IpAddress) => `,"address":"${address.toString()}"`);
/** A refusal is the service's own text; it may name what a client sent, and so it is scrubbed like an id. */
const refusalJson = (refusal: string) => `,"reason":${JSON.stringify(scrubText(refusal))}`;

/**
 * The line as pino would write it. Only what clients or operators choose is scrubbed, names of API keys and ids of
 * users once each; the rest is words of this code, addresses and numbers.
 */
export const requestLine = (line: RequestLine): string => {
  const { requestId, isGiven, operation, method, path, status, ms, key, caller, address, refusal } = line;
  const id = isGiven ? JSON.stringify(scrubText(requestId, false)) : `"${requestId}"`;
  return (
    `{"level":30,"time":"${timeNow()}","requestId":${id},"operation":${operationJson(operation)},` +
    `"method":"${method}","path":"${path}","status":${status},"ms":${ms}${key ? keyJson(key) : ''}` +
    `${caller ? actorJson(caller) : ''}${address ? addressJson(address) : ''}` +
    `${refusal === undefined ? '' : refusalJson(refusal)},"msg":"answered"}\n`
  );
};
