import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';
import { Type, type Static } from '../../src/schema/typebox.ts';
import { createValidator } from '../../src/schema/validation.ts';

const Message = Type.Object({
  type: Type.String(),
  timestamp: Type.String(),
  id: Type.String(),
  entity: Type.String(),
  revision: Type.Integer(),
  position: Type.String(),
  version: Type.Integer(),
  data: Type.Record(Type.String(), Type.Unknown()),
});
export type Message = Static<typeof Message>;
const check = createValidator(Message, 'the message');

export interface Received {
  readonly message: Message;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly path: string;
  /** Whether it was answered with success. */
  readonly isAcknowledged: boolean;
}

/** How a receiver answers; `hang` never does. */
export type Answering = number | 'hang' | 'reset' | ((response: ServerResponse) => void);

/** A receiver on this machine, which keeps what it was sent. It verifies nothing by itself. */
export const startReceiver = async () => {
  const received: Received[] = [];
  let answering: (message: Message) => Answering = () => 204;
  const listener: Parameters<typeof createServer>[1] = (request, response) => {
    void text(request).then((body) => {
      const checked = check(JSON.parse(body));
      if (!checked.ok) throw new Error(checked.message);
      const answer = answering(checked.value);
      const headers = Object.fromEntries(
        Object.entries(request.headers).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
      );
      const own = { message: checked.value, headers, body, path: request.url ?? '', isAcknowledged: false };
      received.push(own);
      response.on('finish', () => (own.isAcknowledged = response.statusCode < 300));
      if (typeof answer === 'function') answer(response);
      else if (answer === 'reset') request.socket.resetAndDestroy();
      else if (answer !== 'hang') response.writeHead(answer, { Connection: 'close' }).end();
    });
  };
  const listen = (port: number): Promise<Server> =>
    new Promise((resolve) => {
      const server = createServer(listener);
      server.listen(port, '127.0.0.1', () => resolve(server));
    });
  let server = await listen(0);
  // A server that listens has an address with a port.
  const { port } = server.address() as AddressInfo;
  const kill = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return {
    url: `http://127.0.0.1:${port}/hooks`,
    received,
    /** What was answered with success, in the order of the first time. */
    acknowledged: (): readonly Message[] => {
      const seen = new Set<string>();
      return received.flatMap(({ message, isAcknowledged }) => {
        if (!isAcknowledged || seen.has(message.id)) return [];
        seen.add(message.id);
        return [message];
      });
    },
    answer: (by: Answering): void => {
      answering = () => by;
    },
    answerBy: (by: (message: Message) => Answering): void => {
      answering = by;
    },
    kill,
    async revive(): Promise<void> {
      server = await listen(port);
    },
    stop: kill,
  };
};
export type Receiver = Awaited<ReturnType<typeof startReceiver>>;

/** Verifies what was received as receivers do, by the library of Standard Webhooks. @throws Error */
export const verify = (secret: string, { body, headers }: Received): unknown =>
  new Webhook(secret).verify(body, { ...headers });
