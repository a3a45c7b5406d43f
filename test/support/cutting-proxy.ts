import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Less than an event. */
const FEW = 200;

/**
 * A proxy that hands on what is asked of a service, but cuts answers that are longer.
 *
 * @param bytesOf how much of an answer is sent before it is cut; of the first, the second and so on; nothing at all,
 *   also no head, where it is negative
 */
export const cuttingProxy = async (service: string, bytesOf: (answer: number) => number = () => FEW) => {
  let answers = 0;
  const server = createServer((request, response) => {
    const answer = async (): Promise<void> => {
      const path = request.url ?? '/';
      const { 'x-api-key': key, authorization } = request.headers;
      const headers = { 'X-API-Key': String(key), Authorization: authorization ?? '' };
      const found = await fetch(service + path, { headers });
      const text = await found.text();
      const names = ['Content-Type', 'History-Position', 'History-Recorded-At', 'History-Code', 'History-Masks'];
      for (const name of names) response.setHeader(name, found.headers.get(name) ?? '');
      response.statusCode = found.status;
      const bytes = path.endsWith('limit=1') ? Infinity : bytesOf(++answers);
      if (text.length <= bytes) {
        response.end(text);
        return;
      }
      if (bytes < 0) {
        response.destroy();
        return;
      }
      response.write(text.slice(0, bytes), () => response.destroy());
    };
    answer().catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    async end() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
};
