import { once } from 'node:events';
import { connect } from 'node:net';
import type { Answer } from '../support/service.ts';

/** Writes bytes to the port and gives all that comes back until the service closes the connection. */
export const exchangeBytes = async (url: string, bytes: string | Buffer): Promise<string> => {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  const chunks: Buffer[] = [];
  socket.on('data', (chunk) => chunks.push(chunk));
  // A reset by the service ends the exchange too.
  socket.on('error', () => socket.destroy());
  socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes);
  await once(socket, 'close');
  return Buffer.concat(chunks).toString('utf8');
};

/** The first answer in what came back; undefined where there is none. */
export const parseAnswer = (text: string): Answer | undefined => {
  const [head = '', body = ''] = text.split(/\r\n\r\n(.*)/s);
  const [statusLine = '', ...lines] = head.split('\r\n');
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(statusLine)?.[1]);
  if (Number.isNaN(status)) return undefined;
  const headers = new Headers(
    lines.map((line): [string, string] => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()]),
  );
  return { status, headers, body: body === '' ? undefined : (JSON.parse(body) as unknown) };
};
