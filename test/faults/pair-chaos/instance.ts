import { killLeftProcesses, serveProcess, type Running } from '../../support/process.ts';
import { openLink, type Link } from '../link.ts';
import type { ServerName } from './fault-plan.ts';

/** One process of the service, with its own link to each server. */
export interface Instance {
  readonly number: number;
  readonly links: Readonly<Record<ServerName, Link>>;
  /** Undefined while it does not run. */
  readonly running: () => Running | undefined;
  readonly isPaused: () => boolean;
  readonly kill: () => Promise<void>;
  /** Starts it unless it runs. */
  readonly start: () => Promise<void>;
  readonly pause: () => void;
  readonly wake: () => void;
  /** Whether a fault of this instance is under way or waits. */
  readonly isBusy: () => boolean;
  /** Runs one fault at a time. */
  readonly inTurn: (act: () => Promise<void>) => Promise<void>;
  /** All lines of standard output, across restarts. */
  readonly lines: () => readonly string[];
  /** All of standard error, across restarts. */
  readonly complaint: () => string;
  readonly close: () => Promise<void>;
}

// An interrupted suite leaves no processes behind.
process.once('exit', killLeftProcesses);

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

export const openInstance = async (
  number: number,
  urls: Readonly<Record<ServerName, string>>,
  environmentOf: (urls: Readonly<Record<ServerName, string>>) => Readonly<Record<string, string>>,
  directory: string,
): Promise<Instance> => {
  const links = {
    mongo: await openLink(urls.mongo, { isHeldKept: true }),
    eventStore: await openLink(urls.eventStore),
  };
  const environment = environmentOf({
    mongo: links.mongo.urlOf(urls.mongo),
    eventStore: links.eventStore.urlOf(urls.eventStore),
  });
  const lives: Running[] = [];
  let before: Promise<void> = Promise.resolve();
  let waiting = 0;
  let running: Running | undefined;
  let isPaused = false;

  const wake = () => {
    if (running && isPaused) process.kill(running.pid, 'SIGCONT');
    isPaused = false;
  };
  return {
    number,
    links,
    running: () => running,
    isPaused: () => isPaused,
    async kill() {
      const victim = running;
      running = undefined;
      isPaused = false;
      // A killed process also loses what it has sent and the server has not received.
      for (const link of Object.values(links)) link.cut();
      await victim?.end('SIGKILL');
    },
    async start() {
      if (running && !isAlive(running.pid))
        throw new Error(`Instance ${number} has ended by itself: ${running.complaint()}`);
      if (running) return;
      const started = await serveProcess(directory, environment);
      lives.push(started);
      running = started;
    },
    pause() {
      if (!running) return;
      process.kill(running.pid, 'SIGSTOP');
      isPaused = true;
    },
    wake,
    isBusy: () => waiting > 0,
    inTurn(act) {
      waiting++;
      const mine = before.then(act).finally(() => waiting--);
      before = mine.catch(() => undefined);
      return mine;
    },
    lines: () => lives.flatMap(({ lines }) => lines),
    complaint: () => lives.map((life) => life.complaint()).join(''),
    async close() {
      wake();
      for (const link of Object.values(links)) link.release();
      await running?.end('SIGKILL');
      for (const link of Object.values(links)) await link.close();
    },
  };
};
