import { EventEmitter, once } from 'node:events';
import { Readable, Writable } from 'node:stream';
import type { Terminal } from '../../src/cli/parts/terminal.ts';
import { runProgram } from '../../src/cli/program.ts';
import { threadsHere } from './threads-here.ts';
import { configured, environmentOf, urlIn, type MachineUser } from './process.ts';

type Variables = Readonly<Record<string, string>>;

/** A stream, and all that was written to it so far. */
const collected = () => {
  let text = '';
  const stream = new Writable({
    decodeStrings: false,
    write(chunk, _encoding, done) {
      text += String(chunk);
      done();
    },
  });
  return { stream, text: () => text };
};

/** A terminal in a directory on which no signal comes, and what commands have written to it. */
export const terminalIn = (directory: string, more: Variables = configured, input = '') => {
  const [stdout, stderr] = [collected(), collected()];
  const terminal: Terminal = {
    environment: environmentOf(directory, more),
    directory,
    stdin: Readable.from([input]),
    stdout: stdout.stream,
    stderr: stderr.stream,
    openLog: () => Promise.resolve(stdout.stream),
    giveWay: () => undefined,
    nextSignal: () => new Promise(() => undefined),
    endNow: () => undefined,
    pause: () => Promise.resolve(),
    threads: threadsHere,
  };
  return { terminal, stdout: stdout.text, stderr: stderr.text };
};

/** Runs one CLI command to its end, in this process. @param input what standard input gives */
export const runCli = async (directory: string, args: readonly string[], more: Variables = configured, input = '') => {
  const { terminal, stdout, stderr } = terminalIn(directory, more, input);
  const code = await runProgram(args, terminal);
  return { code, stdout: stdout(), stderr: stderr() };
};

/** Runs one CLI command to its end, in this process, which is root's, with the rights of another user. */
export const runCliAs = async ({ uid, gid }: MachineUser, ...command: Parameters<typeof runCli>) => {
  process.setegid?.(gid);
  process.seteuid?.(uid);
  try {
    return await runCli(...command);
  } finally {
    process.seteuid?.(0);
    process.setegid?.(0);
  }
};

/** Begins a CLI command, in this process. */
export const beginCli = (
  directory: string,
  args: readonly string[],
  more: Variables = configured,
): {
  /** What it has written so far. */
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** Resolves to its exit code. */
  readonly ended: Promise<number>;
  /** Ends it by a signal; resolves to its exit code. */
  readonly interrupt: () => Promise<number>;
} => {
  const { terminal, stdout, stderr } = terminalIn(directory, more);
  const events = new EventEmitter();
  const nextSignal = () => once(events, 'signal').then(() => 'SIGINT');
  const ended = runProgram(args, { ...terminal, nextSignal });
  return {
    stdout,
    stderr,
    ended,
    interrupt() {
      events.emit('signal');
      return ended;
    },
  };
};

export interface Serving {
  readonly url: string;
  /** All of standard output so far. */
  printed(): string;
  /** Ends it as SIGTERM would; resolves to its exit code. */
  end(): Promise<number>;
}

const serving = new Set<Serving>();

/** Ends the services that a failed test has left; for `afterEach`. */
export const endLeftServices = async (): Promise<void> => {
  for (const service of serving) await service.end();
};

/** Runs `hiring serve` in this process; resolves once it listens. */
export const serveHere = async (directory: string, more: Variables = configured): Promise<Serving> => {
  const { terminal, stdout, stderr } = terminalIn(directory, more);
  const events = new EventEmitter();
  const ended = runProgram(['serve'], {
    ...terminal,
    openLog: () =>
      Promise.resolve({
        write(line) {
          terminal.stdout.write(line);
          const url = urlIn(line);
          if (url !== undefined) events.emit('listening', url);
        },
      }),
    nextSignal: () => once(events, 'end').then(() => 'SIGTERM'),
  });
  const failed = ended.then((code) => Promise.reject(new Error(`hiring serve ended with ${code}: ${stderr()}`)));
  const [url] = (await Promise.race([once(events, 'listening'), failed])) as [string];
  const service: Serving = {
    url,
    printed: stdout,
    end() {
      serving.delete(service);
      events.emit('end');
      return ended;
    },
  };
  serving.add(service);
  return service;
};
