import { fork, type ChildProcess } from 'node:child_process';
import { once, on } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** A process of a module that calls `inChildProcess`. */
export interface Child<To, From> {
  readonly pid: number | undefined;
  readonly post: (message: To) => void;
  /** The next message; undefined once it has ended. */
  readonly next: () => Promise<From | undefined>;
  readonly kill: () => void;
  /** Resolves once it has ended, to what is known of why. */
  readonly ended: Promise<string>;
}

export interface ChildOptions {
  readonly environment: NodeJS.ProcessEnv;
  /** Of JavaScript, in megabytes. */
  readonly heapMb: number;
  /** A file that is its standard output; left out: none. */
  readonly output?: number;
}

/** What is kept of its standard error. */
const MAX_ERROR_TEXT = 2_000;

const endOf = async (child: ChildProcess): Promise<string> => {
  let said = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-MAX_ERROR_TEXT);
  });
  await once(child, 'close');
  return `it ended with ${child.signalCode ?? `the code ${child.exitCode}`}${said === '' ? '' : `: ${said}`}`;
};

/** Starts a process of a module, to which the two send each other plain data. */
export const startChild = <To extends object, From>(
  module: URL,
  { environment, heapMb, output }: ChildOptions,
): Child<To, From> => {
  const child = fork(fileURLToPath(module), [], {
    env: environment,
    execArgv: [`--max-old-space-size=${heapMb}`],
    stdio: ['ignore', output ?? 'ignore', 'pipe', 'ipc'],
  });
  // Where it ended meanwhile, its end tells.
  child.on('error', () => undefined);
  const messages = on(child, 'message', { close: ['disconnect'] });
  return {
    pid: child.pid,
    post(message) {
      if (child.connected) child.send(message, () => undefined);
    },
    async next() {
      const result = (await messages.next()) as IteratorResult<[From], undefined>;
      return result.done ? undefined : result.value[0];
    },
    kill: () => void child.kill('SIGKILL'),
    ended: endOf(child),
  };
};

/** Bytes that a process holds that are no file's; undefined where the operating system does not tell. proc(5) */
export const memoryOf = (pid: number | undefined): number | undefined => {
  try {
    const [, kilobytes] = /^RssAnon:\s*(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return kilobytes === undefined ? undefined : Number(kilobytes) * 1_024;
  } catch {
    return undefined;
  }
};

/** What a module of a child process sends and is sent. */
export interface Parent<To, From> {
  readonly post: (message: From) => void;
  readonly next: () => Promise<To>;
}

/** Runs what this process was started for, and then ends it; it ends at once where the one that started it has. */
export const inChildProcess = async <To, From extends object>(
  run: (parent: Parent<To, From>) => Promise<void>,
): Promise<void> => {
  const messages = on(process, 'message');
  // Killed, since threads of a native library would be waited for.
  const endNow = () => process.kill(process.pid, 'SIGKILL');
  process.once('disconnect', endNow);
  await run({
    post: (message) => void process.send?.(message),
    next: async () => ((await messages.next()) as IteratorYieldResult<[To]>).value[0],
  });
  process.off('disconnect', endNow);
  process.disconnect();
};
