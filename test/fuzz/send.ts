import { once } from 'node:events';
import { Agent, request as httpRequest, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import type { Answer } from '../support/service.ts';
import { slowness } from '../support/slowness.ts';
import { bodyOf, headersOf, rawText, targetOf, type FuzzRequest } from './request.ts';

/** What became of a request. */
export type Outcome =
  | { readonly kind: 'answered'; readonly answer: Answer }
  /** The service closed the connection without an answer. */
  | { readonly kind: 'closed' }
  | { readonly kind: 'silent' }
  /** Node's HTTP client does not send it. */
  | { readonly kind: 'not-http' };

/** No request of a plan takes longer than this on a machine of the usual speed, or it hangs. */
const PATIENCE_MS = 15_000;

const toAnswer = async (response: IncomingMessage): Promise<Answer> => {
  const bytes = await buffer(response);
  const headers = new Headers();
  for (const [name, values] of Object.entries(response.headersDistinct))
    for (const value of values ?? []) headers.append(name, value);
  const isPlainJson =
    bytes.length > 0 &&
    /^application\/json/.test(headers.get('Content-Type') ?? '') &&
    !headers.has('Content-Encoding');
  const body: unknown = isPlainJson ? JSON.parse(bytes.toString('utf8')) : undefined;
  return { status: response.statusCode ?? 0, headers, body };
};

const UNSENT = ['ERR_INVALID_CHAR', 'ERR_UNESCAPED_CHARACTERS', 'ERR_INVALID_HTTP_TOKEN'];
const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';

/** A client of one service. */
export const createSender = (url: string) => {
  const { hostname, port } = new URL(url);
  const kept = new Agent({ keepAlive: true, maxSockets: 16 });

  const exchange = (request: FuzzRequest): Promise<Outcome> =>
    new Promise((resolve, reject) => {
      const { method } = request;
      // The service may close a connection whose request it refused: nothing else is sent on that one.
      const agent = request.bytes && request.bytes.length > 10_000 ? new Agent() : kept;
      const outgoing = httpRequest({
        ...{ hostname, port: Number(port), method, agent, path: targetOf(request) },
        headers: headersOf(request).flat(),
      });
      const timer = setTimeout(() => {
        resolve({ kind: 'silent' });
        outgoing.destroy();
      }, PATIENCE_MS * slowness());
      outgoing.on('response', (response) => {
        toAnswer(response)
          .then((answer) => resolve({ kind: 'answered', answer }), reject)
          .finally(() => clearTimeout(timer));
      });
      outgoing.on('error', () => {
        clearTimeout(timer);
        resolve({ kind: 'closed' });
      });
      outgoing.end(bodyOf(request));
    });

  /** The first bytes of what is answered, up to the end of a head; '' when none comes while the client waits. */
  const sendBytes = async (bytes: Buffer, patienceMs: number): Promise<string> => {
    const socket = connect(Number(port), hostname);
    let received = '';
    socket.on('data', (chunk: Buffer) => (received += chunk.toString('latin1')));
    // The service may close the connection while the client still sends.
    socket.on('error', () => undefined);
    socket.write(bytes);
    const closed = once(socket, 'close').catch(() => undefined);
    await Promise.race([closed, delay(patienceMs, undefined, { ref: false })]);
    socket.destroy();
    return received.split('\r\n\r\n', 1)[0] ?? '';
  };

  return {
    /** Sends a request whose places are filled. */
    async send(request: FuzzRequest): Promise<Outcome> {
      try {
        return await exchange(request);
      } catch (error) {
        if (!UNSENT.includes(codeOf(error))) throw error;
        await sendBytes(Buffer.from(rawText(request), 'latin1'), 5);
        return { kind: 'not-http' };
      }
    },
    sendBytes,
    close: () => kept.destroy(),
  };
};
export type Sender = ReturnType<typeof createSender>;
