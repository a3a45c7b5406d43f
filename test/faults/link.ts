import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

type IsMeant = (message: Buffer) => boolean;

/** What stands between one process and a server, and can hold back what either says. */
export interface Link {
  /** A URL of the server, by way of the link. */
  readonly urlOf: (url: string) => string;
  /** From the first message on that is meant, the server gets nothing; resolves with it. */
  readonly holdFrom: (isMeant: IsMeant) => Promise<void>;
  /** Lets through what was held, in its order. */
  readonly release: () => void;
  /** The first message that is meant gets through, and no answer from then on; resolves with it. */
  readonly muteFrom: (isMeant: IsMeant) => Promise<void>;
  /** Ends all connections; new ones get through. */
  readonly cut: () => void;
  readonly close: () => Promise<void>;
}

/** Whether a message of the MongoDB protocol is a command that names a collection, and other things somewhere in it. */
export const isCommand =
  (command: string, ...named: readonly string[]): IsMeant =>
  (message) =>
    message.includes(`\u0002${command}\0`) && named.every((name) => message.includes(`${name}\0`));

/** Meant is what comes after something else. */
export const after = (first: IsMeant, isMeant: IsMeant): IsMeant => {
  let isSeen = false;
  return (message) => {
    if (isSeen) return isMeant(message);
    isSeen = first(message);
    return false;
  };
};

/** Resolves with the first message that is meant. */
const createWatch = () => {
  let isMeant: IsMeant = () => false;
  let onSeen: () => void = () => undefined;
  return {
    isSeenIn(message: Buffer): boolean {
      if (!isMeant(message)) return false;
      isMeant = () => false;
      onSeen();
      return true;
    },
    next(meant: IsMeant): Promise<void> {
      isMeant = meant;
      return new Promise((resolve) => (onSeen = resolve));
    },
  };
};

const ADDRESS = /^((?:mongodb|esdb):\/\/(?:[^@/]*@)?)([^:/?]+):(\d+)/;

/** @param url of the server, with its port */
export const openLink = async (url: string): Promise<Link> => {
  const [, , host = '', port = ''] = ADDRESS.exec(url) ?? [];
  const sockets = new Set<Socket>();
  const [toHold, toMute] = [createWatch(), createWatch()];
  /** What is held, in the order in which it came; undefined while all gets through. */
  let held: (() => void)[] | undefined;
  let isMute = false;

  const server = createServer((near) => {
    const far = connect(Number(port), host);
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
    far.on('data', (chunk: Buffer) => {
      if (!isMute) near.write(chunk);
    });
    near.on('data', (chunk: Buffer) => {
      if (!held && toHold.isSeenIn(chunk)) held = [];
      if (toMute.isSeenIn(chunk)) isMute = true;
      const pass = () => void far.write(chunk);
      if (held) held.push(pass);
      else pass();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port: own } = server.address() as AddressInfo;
  const cut = () => {
    for (const socket of sockets) socket.destroy();
    isMute = false;
  };

  return {
    urlOf: (direct) => direct.replace(ADDRESS, (_, start) => `${String(start)}127.0.0.1:${own}`),
    holdFrom: (isMeant) => toHold.next(isMeant),
    release() {
      const waiting = held ?? [];
      held = undefined;
      for (const pass of waiting) pass();
    },
    muteFrom: (isMeant) => toMute.next(isMeant),
    cut,
    async close() {
      cut();
      server.close();
      await once(server, 'close');
    },
  };
};
