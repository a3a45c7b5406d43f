import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface WebRequest {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** The answer; undefined for none at all. An endless one repeats its body until the client has gone, or never ends. */
export type Answer =
  | { readonly status: number; readonly body?: string; readonly location?: string; readonly isEndless?: boolean }
  | undefined;

export interface WebServer {
  readonly url: string;
  readonly requests: readonly WebRequest[];
  close(): Promise<void>;
}

/** Writes a text again and again, as fast as the client reads it. */
const repeat = (response: ServerResponse, text: string): void => {
  if (!response.destroyed) response.write(text, () => setImmediate(repeat, response, text));
};

/** An HTTP server on a free port that gives the test's answers and records the requests. */
export const startWebServer = async (answer: (request: WebRequest) => Answer): Promise<WebServer> => {
  const requests: WebRequest[] = [];
  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      const { method, url, headers } = incoming;
      const request = { method, url, headers, body: Buffer.concat(chunks).toString('utf8') };
      requests.push(request);
      const given = answer(request);
      if (!given) return;
      if (given.location !== undefined) response.setHeader('Location', given.location);
      response.writeHead(given.status);
      if (given.isEndless !== true) response.end(given.body);
      else if (given.body) repeat(response, given.body);
      else response.flushHeaders();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // It listens on TCP.

  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
};
