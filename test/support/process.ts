import { spawn, type ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { claims } from './examples.ts';
import { jwtSecret, tokenFor, type Answer } from './service.ts';

export const CLI = fileURLToPath(new URL('../../bin/hiring.js', import.meta.url));
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

export const processKeys = { client: 'process-client-key', internal: 'process-internal-key' } as const;

/** A configuration without the demo's defaults. */
export const configured = {
  API_KEYS: `client:website:${sha256(processKeys.client)},internal:back-office:${sha256(processKeys.internal)}`,
  JWT_SECRET: jwtSecret,
  CODE_SECRET: 'a secret for codes, thirty-two bytes or more',
  RATE_LIMIT_PER_SECOND: '0',
} as const;

export interface Running {
  readonly url: string;
  readonly pid: number;
  /** All lines of standard output so far. */
  readonly lines: readonly string[];
  /** All of standard error so far. */
  complaint(): string;
  /** Resolves with the next line of standard output. */
  nextLine(): Promise<void>;
  /** Ends it with a signal; resolves to its exit code, null after a kill. */
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null>;
  /** Resolves with the signal that ended it, null where none did. */
  readonly ended: Promise<NodeJS.Signals | null>;
}

/** The environment of a command that tests run: a data directory, any free port, and what a test adds. */
export const environmentOf = (directory: string, more: Readonly<Record<string, string>>) => ({
  PATH: process.env['PATH'],
  DATA_DIR: directory,
  PORT: '0',
  ...more,
});

/** A user of the machine, whom root can start processes as. */
export interface MachineUser {
  readonly uid: number;
  readonly gid: number;
}

const alive = new Set<ChildProcess>();

/** Kills the processes that a failed test has left; for `afterEach`. */
export const killLeftProcesses = (): void => {
  for (const child of alive) child.kill('SIGKILL');
};

/** Starts one CLI command in a process of its own. @param user by default that of this process */
export const spawnCli = (
  directory: string,
  args: readonly string[],
  more: Readonly<Record<string, string>>,
  user?: MachineUser,
  cli = CLI,
): ChildProcess => {
  const env = environmentOf(directory, more);
  const child = spawn(process.execPath, [cli, ...args], {
    cwd: directory,
    env,
    ...user,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  alive.add(child);
  child.once('exit', () => alive.delete(child));
  return child;
};

/** The address in the line of the application log that says where the service listens. */
export const urlIn = (line: string): string | undefined => /"url":"(http:[^"]+)".*"msg":"listening"/.exec(line)?.[1];

/** Starts a CLI command and kills it as soon as a condition holds, which is polled. */
export const killWhen = async (
  directory: string,
  args: readonly string[],
  more: Readonly<Record<string, string>>,
  isTime: () => boolean,
): Promise<void> => {
  const child = spawnCli(directory, args, more);
  const exited = once(child, 'exit');
  const looking = setInterval(() => isTime() && child.kill('SIGKILL'), 1);
  await exited;
  clearInterval(looking);
};

export const killServeWhen = (
  directory: string,
  more: Readonly<Record<string, string>>,
  isTime: () => boolean,
): Promise<void> => killWhen(directory, ['serve'], more, isTime);

/** Runs `hiring serve` in a process of its own; resolves once it listens. */
export const serveProcess = async (
  directory: string,
  more: Readonly<Record<string, string>> = configured,
  user?: MachineUser,
  cli = CLI,
): Promise<Running> => {
  const child = spawnCli(directory, ['serve'], more, user, cli);
  const exited = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
  const lines: string[] = [];
  let complaint = '';
  child.stderr?.on('data', (chunk: Buffer) => (complaint += chunk.toString()));
  const output = new EventEmitter();
  const url = await new Promise<string>((resolve, reject) => {
    if (!child.stdout) {
      reject(new Error('The process has no standard output'));
      return;
    }
    createInterface({ input: child.stdout }).on('line', (line) => {
      lines.push(line);
      output.emit('line');
      const found = urlIn(line);
      if (found !== undefined) resolve(found);
    });
    void exited.then(([code]) => reject(new Error(`hiring serve ended with ${String(code)}: ${complaint}`)));
  });
  return {
    url,
    pid: child.pid ?? 0,
    ended: exited.then(([, signal]) => signal),
    lines,
    complaint: () => complaint,
    async nextLine() {
      await once(output, 'line');
    },
    async end(signal) {
      child.kill(signal);
      return (await exited)[0];
    },
  };
};

/** Runs one CLI command to its end, in a process of its own. */
export const runProcess = async (
  directory: string,
  args: readonly string[],
  more: Readonly<Record<string, string>> = configured,
  user?: MachineUser,
  cli = CLI,
) => {
  const child = spawnCli(directory, args, more, user, cli);
  let [stdout, stderr] = ['', ''];
  child.stdout?.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr?.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stdout, stderr };
};

export interface SentRequest {
  readonly as?: keyof typeof claims | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** Sends a request with the configured keys: that which the path needs. A text that is no JSON comes as it is. */
export const exchange = async (
  url: string,
  {
    path,
    bearer,
    headers = {},
    body,
    ...request
  }: Omit<SentRequest, 'as'> & {
    readonly method: string;
    readonly path: string;
    readonly bearer?: string | undefined;
    readonly signal?: AbortSignal;
  },
): Promise<Answer> => {
  const response = await fetch(url + path, {
    ...request,
    headers: {
      'X-API-Key': path.startsWith('/internal/') ? processKeys.internal : processKeys.client,
      ...(bearer !== undefined && { Authorization: `Bearer ${bearer}` }),
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson = response.headers.get('Content-Type')?.startsWith('application/json') === true;
  return {
    status: response.status,
    headers: response.headers,
    body: text === '' ? undefined : isJson ? (JSON.parse(text) as unknown) : text,
  };
};

/** Sends a request to a service as `exchange` does; with `as`, with the bearer token of a user of the examples. */
export const sendTo = async (
  { url }: { readonly url: string },
  method: string,
  path: string,
  { as, ...request }: SentRequest = {},
): Promise<Answer> =>
  exchange(url, {
    ...request,
    method,
    path,
    // Valid for days: tests set clocks.
    bearer: as && (await tokenFor(claims[as], '3d')),
  });
