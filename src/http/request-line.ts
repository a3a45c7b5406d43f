import { actorOf, type Caller } from '../access/access.ts';
import type { IpAddress } from '../lib/ip-address.ts';
import { scrubText } from '../monitoring/log-scrubber.ts';
import { memoize } from '../lib/memoize.ts';
import type { Context } from './context.ts';

/** What a line tells beside the context. */
export interface Observed {
  /** Without text that a client chose. */
  readonly path: string;
  readonly ms: number;
  /** The client's, if it is known. */
  readonly address: IpAddress | undefined;
}

let lastMs = NaN;
let lastTime = '';

/** Cached, since many requests share a millisecond. */
const timeNow = (): string => {
  const now = Date.now();
  if (now !== lastMs) lastTime = new Date((lastMs = now)).toISOString();
  return lastTime;
};

const keyJson = memoize(({ name }: Caller['key']) => `,"key":${JSON.stringify(scrubText(name))}`);
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
export const requestLine = (
  { state, method, status }: Pick<Context, 'state' | 'method' | 'status'>,
  { path, ms, address }: Observed,
): string => {
  const { requestId, isGivenId, operation, key, caller, refusal } = state;
  const id = isGivenId ? JSON.stringify(scrubText(requestId, false)) : `"${requestId}"`;
  return (
    `{"level":30,"time":"${timeNow()}","requestId":${id},"operation":"${operation?.name ?? 'none'}",` +
    `"method":"${method}","path":"${path}","status":${status},"ms":${ms}${key ? keyJson(key) : ''}` +
    `${caller ? actorJson(caller) : ''}${address ? addressJson(address) : ''}` +
    `${refusal === undefined ? '' : refusalJson(refusal)},"msg":"answered"}\n`
  );
};
