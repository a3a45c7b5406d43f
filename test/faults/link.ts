import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

type IsMeant = (message: Buffer) => boolean;

/** A proxy between one process and a server that can hold back what either sends. */
export interface Link {
  /** The server's URL, by way of the link. */
  readonly urlOf: (url: string) => string;
  /** Holds back what the process sends, from the first matching message on; resolves with that message. */
  readonly holdFrom: (isMeant: IsMeant) => Promise<void>;
  /** Holds back both directions, and leaves all connections open. */
  readonly stall: () => void;
  /** Ends all connections, and refuses new ones. */
  readonly shut: () => void;
  /** Lets through new connections and what was held, in order; stops waiting for any message. */
  readonly release: () => void;
  /** Lets the first matching message through, and no answer from then on; resolves with that message. */
  readonly muteFrom: (isMeant: IsMeant) => Promise<void>;
  /** Ends all connections; new ones get through. */
  readonly cut: () => void;
  readonly close: () => Promise<void>;
}

/** Matches a MongoDB command that names a collection and the other given names. */
export const isCommand =
  (command: string, ...named: readonly string[]): IsMeant =>
  (message) =>
    message.includes(`\u0002${command}\0`) && named.every((name) => message.includes(`${name}\0`));

/** Matches the commit of a MongoDB transaction. */
export const isCommit: IsMeant = (message) => message.includes('\u0010commitTransaction\0');

/** Matches only messages that come after another match. */
export const after = (first: IsMeant, isMeant: IsMeant): IsMeant => {
  let isSeen = false;
  return (message) => {
    if (isSeen) return isMeant(message);
    isSeen = first(message);
    return false;
  };
};

/** Resolves with the first matching message. */
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
    forget(): void {
      isMeant = () => false;
    },
  };
};

const ADDRESS = /^((?:mongodb|esdb):\/\/(?:[^@/]*@)?)([^:/?]+):(\d+)/;

/** The held messages, in the order in which they came; undefined while the link lets everything through. */
const createHold = () => {
  let held: (() => void)[] | undefined;
  return {
    isOn: () => held !== undefined,
    begin(): void {
      held ??= [];
    },
    pass(act: () => void): void {
      if (held) held.push(act);
      else act();
    },
    end(): void {
      const waiting = held ?? [];
      held = undefined;
      for (const act of waiting) act();
    },
    drop(): void {
      if (held) held = [];
    },
  };
};

/**
 * @param url of the server, with its port
 * @param how.isHeldKept whether held messages reach the server even if the process has closed the connection meanwhile
 */
export const openLink = async (
  url: string,
  { isHeldKept = false }: { readonly isHeldKept?: boolean } = {},
): Promise<Link> => {
  const [, , host = '', port = ''] = ADDRESS.exec(url) ?? [];
  const sockets = new Set<Socket>();
  const [toHold, toMute] = [createWatch(), createWatch()];
  const [toServer, toProcess] = [createHold(), createHold()];
  let [isMute, isShut] = [false, false];

  const server = createServer((near) => {
    if (isShut) {
      near.destroy();
      return;
    }
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
        if (socket === near && isHeldKept && toServer.isOn()) toServer.pass(() => void far.end());
        else other.destroy();
      });
    }
    far.on('data', (chunk: Buffer) => {
      if (!isMute) toProcess.pass(() => void near.write(chunk));
    });
    near.on('data', (chunk: Buffer) => {
      if (toHold.isSeenIn(chunk)) toServer.begin();
      if (toMute.isSeenIn(chunk)) isMute = true;
      toServer.pass(() => void far.write(chunk));
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port: own } = server.address() as AddressInfo;
  const cut = () => {
    toServer.drop();
    toProcess.drop();
    for (const socket of sockets) socket.destroy();
    isMute = false;
  };

  return {
    urlOf(direct) {
      const linked = new URL(direct.replace(ADDRESS, (_, start) => `${String(start)}127.0.0.1:${own}`));
      // Otherwise the driver would ask the server for its address, and bypass the link.
      if (linked.protocol === 'mongodb:') linked.searchParams.set('directConnection', 'true');
      return linked.href;
    },
    holdFrom: (isMeant) => toHold.next(isMeant),
    stall() {
      toServer.begin();
      toProcess.begin();
    },
    shut() {
      isShut = true;
      cut();
    },
    release() {
      isShut = false;
      toHold.forget();
      toServer.end();
      toProcess.end();
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
