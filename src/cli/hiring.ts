#!/usr/bin/env node
import '#node-version';
import { lowerProcessPriority } from '../lib/process-priority.ts';
import { keepSemiSpaceFlagToThisThread } from '../lib/semi-space-flag.ts';
import type { Terminal } from './parts/terminal.ts';

const SIGNALS = ['SIGTERM', 'SIGINT'] as const;
/** npm and the terminal's process group each send a signal: those of so many milliseconds are one. */
const SAME_SIGNAL_MS = 1_000;

/** By SIGKILL: `process.exit` waits for threads, and one that hangs in SQLite or in the system never ends. */
const endNow = (): void => {
  process.emit('exit', 1);
  process.kill(process.pid, 'SIGKILL');
};

const terminal: Terminal = {
  environment: process.env,
  directory: process.cwd(),
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  openLog: async () => (await import('../monitoring/logger.ts')).createStdoutDestination(),
  giveWay: lowerProcessPriority,
  endNow,
  nextSignal: () =>
    new Promise((resolve) => {
      let first: number | undefined;
      for (const signal of SIGNALS)
        process.on(signal, () => {
          const now = performance.now();
          first ??= now;
          if (now - first > SAME_SIGNAL_MS) endNow();
          resolve(signal);
        });
    }),
};

/** What the service writes holds personal data: other users of the machine get no access to it. */
process.umask(0o077);

// The other threads of a service need less than the one that answers.
keepSemiSpaceFlagToThisThread();

// A reader that has seen enough, such as head, closes the pipe.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

// An older Node.js cannot load all of it, and is refused before.
const { runProgram } = await import('./program.ts');
process.exitCode = await runProgram(process.argv.slice(2), terminal);
