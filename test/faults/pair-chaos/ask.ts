import { exchange } from '../../support/process.ts';
import { tokenFor } from '../../support/service.ts';
import type { Claims } from './world.ts';

export interface Question {
  readonly method: string;
  readonly path: string;
  readonly as?: Claims;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

export interface Reply {
  readonly status: number;
  readonly body: unknown;
  /** The Consistency-Token of a write. */
  readonly token: string | undefined;
}

const WITHIN_MS = 3_000;

const tokens = new Map<string, Promise<string>>();
/** Signed once for each user, and valid for longer than a suite lasts. */
const bearerOf = (claims: Claims): Promise<string> => {
  const key = JSON.stringify(claims);
  const token = tokens.get(key) ?? tokenFor(claims, '24h');
  tokens.set(key, token);
  return token;
};

/** Asks an instance; undefined when it does not answer in time. */
export const ask = async (
  url: string | undefined,
  { as, ...request }: Question,
  withinMs = WITHIN_MS,
): Promise<Reply | undefined> => {
  if (url === undefined) return undefined;
  try {
    const bearer = as && (await bearerOf(as));
    const signal = AbortSignal.timeout(withinMs);
    const { status, body, headers } = await exchange(url, { ...request, bearer, signal });
    return { status, body, token: headers.get('Consistency-Token') ?? undefined };
  } catch {
    return undefined;
  }
};

export const inWords = (reply: Reply | undefined): string =>
  reply ? `${reply.status} ${JSON.stringify(reply.body).slice(0, 500)}` : 'no answer';
