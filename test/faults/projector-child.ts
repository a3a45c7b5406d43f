import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Position } from '../../src/event-store/port.ts';

/** Messages of a projector's process. */
export type FromChild =
  | { readonly kind: 'started' }
  /** A batch with documents is about to be stored. */
  | { readonly kind: 'storing'; readonly projection: string }
  /** A part of an event was stored, and the process stops itself as requested. */
  | { readonly kind: 'between'; readonly projection: string }
  | { readonly kind: 'failed'; readonly projection: string; readonly isLeaseLost: boolean; readonly message: string };

/** Messages to a projector's process. */
export type ToChild =
  | { readonly kind: 'appended'; readonly position: Position }
  /** To stop itself (SIGSTOP) when it is about to store the next batch. */
  | { readonly kind: 'pause' }
  /** To stop itself after it has stored the next part of an event. */
  | { readonly kind: 'pause between' }
  | { readonly kind: 'stop' };

/** A projector in a process of its own. */
export interface ProjectorChild {
  readonly pid: number;
  readonly told: readonly FromChild[];
  readonly tell: (message: ToChild) => void;
  readonly signal: (signal: 'SIGSTOP' | 'SIGCONT') => void;
  /** With kill -9. */
  readonly kill: () => Promise<void>;
  /** Gracefully; resolves to its exit code. */
  readonly stop: () => Promise<number | null>;
}

const SCRIPT = fileURLToPath(new URL('./projector-process.js', import.meta.url));

/**
 * Starts a projector; resolves once it runs.
 *
 * @param file of the event log
 * @param url of a MongoDB database
 */
export const forkProjector = async (file: string, url: string): Promise<ProjectorChild> => {
  const child: ChildProcess = fork(SCRIPT, [file, url]);
  const exited = once(child, 'exit') as Promise<[number | null]>;
  const told: FromChild[] = [];
  await new Promise<void>((resolve, reject) => {
    child.on('message', (message: FromChild) => {
      told.push(message);
      if (message.kind === 'started') resolve();
    });
    void exited.then(([code]) => reject(new Error(`The projector has ended with ${String(code)}`)));
  });
  return {
    pid: child.pid ?? 0,
    told,
    tell(message) {
      if (child.connected) child.send(message);
    },
    signal: (signal) => void child.kill(signal),
    async kill() {
      child.kill('SIGKILL');
      await exited;
    },
    async stop() {
      child.send({ kind: 'stop' } satisfies ToChild);
      return (await exited)[0];
    },
  };
};
