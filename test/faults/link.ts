import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** What stands between one process and MongoDB, and can hold back what the process says. */
export interface Link {
  /** A URL of the server, by way of the link. */
  readonly urlOf: (url: string) => string;
  /** From the first message on that is meant, nothing gets through; resolves with it. */
  readonly holdFrom: (isMeant: (message: Buffer) => boolean) => Promise<void>;
  /** Lets through what was held, in its order. */
  readonly release: () => void;
  readonly close: () => Promise<void>;
}

/** Whether a message of the MongoDB protocol is a command that names a collection, and other things somewhere in it. */
export const isCommand =
  (command: string, ...named: readonly string[]) =>
  (message: Buffer): boolean =>
    message.includes(`\u0002${command}\0`) && named.every((name) => message.includes(`${name}\0`));

/** Meant is what comes after something else. */
export const after = (
  first: (message: Buffer) => boolean,
  isMeant: (message: Buffer) => boolean,
): ((message: Buffer) => boolean) => {
  let isSeen = false;
  return (message) => {
    if (isSeen) return isMeant(message);
    isSeen = first(message);
    return false;
  };
};

const addressIn = (url: string): { readonly host: string; readonly port: number } => {
  const [, host = '', port = '27017'] = /^mongodb:\/\/(?:[^@/]*@)?([^:/?]+)(?::(\d+))?/.exec(url) ?? [];
  return { host, port: Number(port) };
};

export const openLink = async (url: string): Promise<Link> => {
  const { host, port } = addressIn(url);
  const sockets = new Set<Socket>();
  let isMeant: (message: Buffer) => boolean = () => false;
  let onHeld: () => void = () => undefined;
  /** What is held, in the order in which it came; undefined while all gets through. */
  let held: (() => void)[] | undefined;

  const server = createServer((near) => {
    const far = connect(port, host);
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('error', () => other.destroy());
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
    far.on('data', (chunk) => near.write(chunk));
    near.on('data', (chunk: Buffer) => {
      if (!held && isMeant(chunk)) {
        held = [];
        onHeld();
      }
      const pass = () => void far.write(chunk);
      if (held) held.push(pass);
      else pass();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port: own } = server.address() as AddressInfo;

  return {
    urlOf: (direct) =>
      direct.replace(/^(mongodb:\/\/(?:[^@/]*@)?)[^/?]+/, (_, start) => `${String(start)}127.0.0.1:${own}`),
    holdFrom(meant) {
      isMeant = meant;
      return new Promise<void>((resolve) => (onHeld = resolve));
    },
    release() {
      const waiting = held ?? [];
      held = undefined;
      isMeant = () => false;
      for (const pass of waiting) pass();
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
};
