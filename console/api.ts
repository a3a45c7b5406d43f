import createClient from 'openapi-fetch';
import { isObject } from '../src/schema/json.ts';
import type { components, paths } from './operations.ts';

export type Schemas = components['schemas'];

/** A request that was not answered as it should be: by a refusal, by a failure, or not at all. */
export class Failure extends Error {
  /** 0: the service did not answer. */
  readonly status: number;
  readonly retryAfterSeconds: number | undefined;

  constructor(message: string, status: number, retryAfterSeconds?: number) {
    super(message);
    this.status = status;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

const sessionEndListeners = new Set<() => void>();
/** Calls back when an answer says that the session has ended. Returns what stops that. */
export const onSessionEnd = (listener: () => void): (() => void) => {
  sessionEndListeners.add(listener);
  return () => void sessionEndListeners.delete(listener);
};

const sessionBeginListeners = new Set<() => void>();
/** Calls back when somebody has signed in again. Returns what stops that. */
export const onSessionBegin = (listener: () => void): (() => void) => {
  sessionBeginListeners.add(listener);
  return () => void sessionBeginListeners.delete(listener);
};
export const sessionHasBegun = (): void => {
  for (const listener of [...sessionBeginListeners]) listener();
};

/** Why personal data is shown, until when; the server records it with each question. */
interface Reveal {
  readonly reason: string;
  readonly until: number;
}
let reveal: Reveal | undefined;
export const setReveal = (next: Reveal | undefined): void => {
  reveal = next;
};
const revealHeaders = (): Record<string, string> =>
  reveal && Date.now() < reveal.until ? { 'Personal-Data-Reason': encodeURIComponent(reveal.reason) } : {};

const messageIn = (body: unknown): string | undefined =>
  isObject(body) && typeof body['error'] === 'string' ? body['error'] : undefined;

const failureOf = (response: Response, body: unknown): Failure => {
  if (response.status === 401) for (const listener of sessionEndListeners) listener();
  const seconds = Number(response.headers.get('Retry-After') ?? NaN);
  return new Failure(
    // The server's message is about API keys, which the page has none of.
    response.status === 401 ? 'The session has ended' : (messageIn(body) ?? `The answer was ${response.status}`),
    response.status,
    Number.isFinite(seconds) ? seconds : undefined,
  );
};

export const NO_ANSWER_MESSAGE = 'The service does not answer';
const isAbort = (error: unknown): boolean => error instanceof DOMException && error.name === 'AbortError';

/** Sends a request. @throws Failure where the service does not answer; AbortError where its signal is aborted */
const send: typeof fetch = async (...request) => {
  try {
    return await fetch(...request);
  } catch (error) {
    throw isAbort(error) ? error : new Failure(NO_ANSWER_MESSAGE, 0);
  }
};

/** The documented operations. The page stands beside them, whatever path a proxy puts both under. */
export const api = createClient<paths>({
  baseUrl: new URL('..', document.baseURI).href.replace(/\/$/, ''),
  // A page of another origin cannot set it.
  headers: { 'X-Console': '1' },
  fetch: (request) => {
    for (const [name, value] of Object.entries(revealHeaders()))
      if (new URL(request.url).pathname.includes('/history/')) request.headers.set(name, value);
    return send(request);
  },
});

/** The body of an answer. @throws Failure */
export const bodyOf = async <T>(
  answer: Promise<{ readonly data?: T; readonly error?: unknown; readonly response: Response }>,
): Promise<T> => {
  const { data, error, response } = await answer;
  if (!response.ok || data === undefined) throw failureOf(response, error);
  return data;
};

/** The lines of an answer, parsed, as they come. @throws Failure */
async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<unknown, void, undefined> {
  const reader = stream.pipeThrough(new TextDecoderStream() as TransformStream<Uint8Array, string>).getReader();
  let [rest, isWhole] = ['', false];
  for (;;) {
    const { done, value } = await reader.read().catch(() => {
      throw new Failure('The answer was cut', 0);
    });
    if (done) break;
    const lines = (rest + value).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines)
      if (line === '') isWhole = true;
      else yield JSON.parse(line) as unknown;
  }
  // A whole answer ends with an empty line.
  if (!isWhole) throw new Failure('The answer was cut', 0);
}

/** All lines of an answer. @throws Failure */
export const allLines = async <T>(
  answer: Promise<{ readonly data?: unknown; readonly error?: unknown; readonly response: Response }>,
  parse: (line: unknown) => T,
): Promise<T[]> => {
  const { response, error } = await answer;
  if (!response.ok || !response.body) throw failureOf(response, error);
  const found: T[] = [];
  for await (const line of linesOf(response.body)) found.push(parse(line));
  return found;
};

export interface Session {
  readonly signIn: 'demo' | 'oidc';
  readonly mode: 'on' | 'read-only';
  readonly user: { readonly id: string; readonly isAdmin: boolean; readonly isAnalyst: boolean } | null;
  readonly expiresAt: string | null;
}

const isSession = (body: unknown): body is Session =>
  typeof body === 'object' && body !== null && 'signIn' in body && 'mode' in body && 'user' in body;

const sessionRequest = async (path: string, init: RequestInit = {}): Promise<Session> => {
  const headers = new Headers(init.headers);
  headers.set('X-Console', '1');
  const response = await send(path, { ...init, headers });
  const body: unknown = await response.json().catch(() => undefined);
  if (!response.ok || !isSession(body)) throw failureOf(response, body);
  return body;
};

/** Who is signed in, and how one signs in. @throws Failure */
export const readSession = (): Promise<Session> => sessionRequest('session');

/** Signs in to the demo. @throws Failure */
export const signInToDemo = (role: 'admin' | 'analyst'): Promise<Session> =>
  sessionRequest('sign-in', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ role }),
  });

/** Ends the session. @throws Failure where it has not ended */
export const signOut = async (): Promise<void> => {
  const response = await send('sign-out', { method: 'POST', headers: { 'X-Console': '1' } });
  if (!response.ok) throw failureOf(response, await response.json().catch(() => undefined));
};
