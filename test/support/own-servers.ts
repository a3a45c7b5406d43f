import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { eventually } from './eventually.ts';
import { freePort } from './free-port.ts';

/** A server of the test's own, which it may kill. The server keeps acknowledged writes even after a kill. */
export interface OwnServer {
  /** Without the name of a database. */
  readonly url: string;
  readonly directory: string;
  /** Starts it on its stored data; resolves once it answers. */
  start(): Promise<void>;
  /** With kill -9. */
  kill(): Promise<void>;
  /** It answers nothing until it goes on, and its connections stay open. */
  pause(): Promise<void>;
  goOn(): Promise<void>;
  /** Backs up its stored data; only while it does not run. */
  backUp(): Promise<void>;
  /** Replaces its stored data with the backup; only while it does not run. */
  restore(): Promise<void>;
  /** Ends it and removes its stored data. */
  remove(): Promise<void>;
}

/** The command that starts each server: it gets a port and a directory, and is ended by a signal. */
export const commands = {
  eventStore: process.env['TEST_EVENTSTORE_COMMAND'],
  mongo: process.env['TEST_MONGODB_COMMAND'],
} as const;
type Kind = keyof typeof commands;

const VARIABLES = { eventStore: 'TEST_EVENTSTORE_COMMAND', mongo: 'TEST_MONGODB_COMMAND' } as const;
const STARTS_WITHIN_MS = 90_000;

const mongoUrl = (port: number) => `mongodb://127.0.0.1:${port}/?directConnection=true`;

const ping = async (port: number): Promise<boolean> => {
  const client = new MongoClient(mongoUrl(port), { serverSelectionTimeoutMS: 1_000 });
  try {
    await client.db('admin').command({ ping: 1 });
    return true;
  } finally {
    await client.close();
  }
};

const kinds = {
  eventStore: {
    urlAt: (port: number) => `esdb://127.0.0.1:${port}?tls=false`,
    answers: async (port: number) => (await fetch(`http://127.0.0.1:${port}/health/live`)).ok,
  },
  mongo: { urlAt: mongoUrl, answers: ping },
} as const;

const alive = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of alive) child.kill('SIGKILL');
});

/**
 * A server of the test's own, not started yet.
 *
 * @param settings further variables of its environment
 * @param options that its command gets after the port and the directory
 * @throws Error without a command for its kind
 */
export const ownServer = async (
  kind: Kind,
  settings: Readonly<Record<string, string>> = {},
  options: readonly string[] = [],
): Promise<OwnServer> => {
  const command = commands[kind];
  if (command === undefined) throw new Error(`${VARIABLES[kind]} names no command`);
  const { urlAt, answers } = kinds[kind];
  const directory = await mkdtemp(join(tmpdir(), 'hiring-server-'));
  const backup = `${directory}-backup`;
  const port = await freePort();
  let child: ChildProcess | undefined;
  const end = async (): Promise<void> => {
    if (!child) return;
    const exited = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : undefined;
    child.kill('SIGKILL');
    await exited;
    alive.delete(child);
    child = undefined;
  };
  return {
    url: urlAt(port),
    directory,
    async start() {
      const env = { ...process.env, ...settings };
      const started = spawn(command, [String(port), directory, ...options], { stdio: 'ignore', env });
      const failed = once(started, 'exit').then(() => {
        throw new Error(`${command} has ended by itself`);
      });
      child = started;
      alive.add(started);
      await Promise.race([failed, eventually('the server answers', () => answers(port), STARTS_WITHIN_MS)]);
      failed.catch(() => undefined);
    },
    kill: end,
    pause() {
      child?.kill('SIGSTOP');
      return Promise.resolve();
    },
    goOn() {
      child?.kill('SIGCONT');
      return Promise.resolve();
    },
    async backUp() {
      await rm(backup, { recursive: true, force: true });
      await cp(directory, backup, { recursive: true });
    },
    async restore() {
      await rm(directory, { recursive: true });
      await cp(backup, directory, { recursive: true });
    },
    async remove() {
      await end();
      await rm(directory, { recursive: true });
      await rm(backup, { recursive: true, force: true });
    },
  };
};

/** Runs a suite that kills its own servers, or reports that it was skipped. */
export const withOwnServers = (name: string, needed: readonly Kind[], suite: () => void): void => {
  const missing = needed.filter((kind) => !commands[kind]).map((kind) => VARIABLES[kind]);
  if (missing.length === 0) suite();
  else
    describe(name, () => {
      it.skip(`is skipped: ${missing.join(' and ')} name no command that starts a server`);
    });
};
