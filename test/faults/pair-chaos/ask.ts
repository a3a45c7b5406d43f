import { processKeys } from '../../support/process.ts';
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
  { method, path, as, headers = {}, body }: Question,
  withinMs = WITHIN_MS,
): Promise<Reply | undefined> => {
  if (url === undefined) return undefined;
  try {
    const response = await fetch(url + path, {
      method,
      signal: AbortSignal.timeout(withinMs),
      headers: {
        'X-API-Key': path.startsWith('/internal/') ? processKeys.internal : processKeys.client,
        ...(as && { Authorization: `Bearer ${await bearerOf(as)}` }),
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = response.headers.get('Content-Type')?.startsWith('application/json') === true;
    return {
      status: response.status,
      body: text === '' ? undefined : isJson ? (JSON.parse(text) as unknown) : text,
      token: response.headers.get('Consistency-Token') ?? undefined,
    };
  } catch {
    return undefined;
  }
};

export const inWords = (reply: Reply | undefined): string =>
  reply ? `${reply.status} ${JSON.stringify(reply.body).slice(0, 500)}` : 'no answer';
