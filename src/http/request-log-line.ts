import { actorOf, type Caller } from '../access/access.ts';
import type { IpAddress } from '../lib/ip-address.ts';
import { scrubText } from '../monitoring/log-scrubber.ts';
import { memoizeByIdentity } from '../lib/memoize-by-identity.ts';
import type { Context } from './edge/context.ts';

let lastMs = NaN;
let lastTime = '';

/** Cached, since many requests share a millisecond. */
const timeNow = (): string => {
  const now = Date.now();
  if (now !== lastMs) lastTime = new Date((lastMs = now)).toISOString();
  return lastTime;
};

const keyJson = memoizeByIdentity(({ name }: Caller['key']) => `,"key":${JSON.stringify(scrubText(name))}`);
const actorJson = memoizeByIdentity(
  (caller: Caller) => `,"actor":${JSON.stringify(scrubText(actorOf(caller), false))}`,
);
const addressJson = memoizeByIdentity((address: IpAddress) => `,"address":"${address.toString()}"`);
/**
 * The line as pino would write it. Only what clients or operators choose is scrubbed, names of API keys and ids of
 * users once each, and refusals, which may name what a client sent; the rest is words of this code and numbers.
 *
 * @param path without text that a client chose
 * @param address the client's, if it is known
 */
export const requestLogLine = (
  { state, method, status }: Pick<Context, 'state' | 'method' | 'status'>,
  path: string,
  ms: number,
  address: IpAddress | undefined,
): string => {
  const { requestId, isClientId, operation, key, caller, refusal } = state;
  const id = isClientId ? JSON.stringify(scrubText(requestId, false)) : `"${requestId}"`;
  const reason = refusal === undefined ? '' : `,"reason":${JSON.stringify(scrubText(refusal))}`;
  return (
    `{"level":30,"time":"${timeNow()}","requestId":${id},"operation":"${operation?.name ?? 'none'}",` +
    `"method":"${method}","path":"${path}","status":${status},"ms":${ms}${key ? keyJson(key) : ''}` +
    `${caller ? actorJson(caller) : ''}${address ? addressJson(address) : ''}${reason},"msg":"answered"}\n`
  );
};
