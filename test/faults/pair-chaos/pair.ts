import { commands, ownServer, type OwnServer } from '../../support/own-servers.ts';
import { servers } from '../../support/servers.ts';
import type { ServerName } from './fault-plan.ts';

/** The two servers: those that the environment names, or the suite's own, which can be killed. */
export interface Pair {
  readonly urls: Readonly<Record<ServerName, string>>;
  /** The suite's own servers; undefined for one that the environment names. */
  readonly own: Readonly<Partial<Record<ServerName, OwnServer>>>;
  /** Starts the killed servers. */
  readonly heal: () => Promise<void>;
  readonly kill: (name: ServerName) => Promise<boolean>;
  readonly restart: (name: ServerName) => Promise<void>;
  readonly remove: () => Promise<void>;
}

const names = ['eventStore', 'mongo'] as const;

/** What the suite lacks to run; undefined where it can run. */
export const missingServers = (): string | undefined => {
  const missing = names.filter((name) => servers[name] === undefined && commands[name] === undefined);
  return missing.length === 0 ? undefined : `no server and no command that starts one for ${missing.join(', ')}`;
};

export const openPair = async (): Promise<Pair> => {
  const own: Partial<Record<ServerName, OwnServer>> = {};
  const away = new Set<ServerName>();
  const urls = { mongo: servers.mongo ?? '', eventStore: servers.eventStore ?? '' };
  for (const name of names) {
    if (commands[name] === undefined) continue;
    const server = await ownServer(name);
    own[name] = server;
    urls[name] = server.url;
    away.add(name);
  }
  const restart = async (name: ServerName): Promise<void> => {
    if (!away.has(name)) return;
    await own[name]?.start();
    away.delete(name);
  };
  return {
    urls,
    own,
    restart,
    async heal() {
      for (const name of names) await restart(name);
    },
    async kill(name) {
      const server = own[name];
      if (!server || away.has(name)) return false;
      away.add(name);
      await server.kill();
      return true;
    },
    async remove() {
      for (const name of names) await own[name]?.remove();
    },
  };
};
