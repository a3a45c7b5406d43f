import { fork } from 'node:child_process';
import { once } from 'node:events';
import { Type, type Static, type TSchema } from '../../src/schema/typebox.ts';
import { PROJECTOR_HEAP_MB_BY_STORE } from '../../src/projector-threads/host.ts';
import { parse } from '../../src/schema/parse.ts';
import { keepTrackOf } from './running.ts';

/** A process of the benchmarks' own, which answers one request after the other. */
export interface Child {
  /** @throws Error with what the child says went wrong, or when it ends before it has answered */
  ask<S extends TSchema>(request: unknown, reply: S): Promise<Static<S>>;
  end(): Promise<void>;
}

const Answer = Type.Union([
  Type.Object({ reply: Type.Unknown() }),
  Type.Object({ error: Type.String({ minLength: 1 }) }),
]);

/**
 * Starts one of `bench/children/`.
 *
 * @param name its file, without `.ts`
 * @param flags of Node
 */
export const startChildProcess = (name: string, flags: readonly string[] = []): Child => {
  const script = new URL(`../children/${name}.js`, import.meta.url);
  const child = keepTrackOf(fork(script, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'], execArgv: [...flags] }));
  const exited = once(child, 'exit');
  return {
    async ask(request, reply) {
      const message = once(child, 'message') as Promise<[unknown]>;
      child.send({ request });
      const [answer] = await Promise.race([
        message,
        exited.then(([code]) => {
          throw new Error(`The process ${name} ended with ${String(code)} before it had answered`);
        }),
      ]);
      const checked = parse(Answer, answer, name);
      if ('error' in checked) throw new Error(`${name}: ${checked.error}`);
      return parse(reply, checked.reply, name);
    },
    async end() {
      if (child.connected) child.disconnect();
      await exited;
    },
  };
};

/** Flags for as large a heap as the service's own projector has, by where read models are. */
export const projectorHeap = (readModels: keyof typeof PROJECTOR_HEAP_MB_BY_STORE): string[] => [
  `--max-old-space-size=${PROJECTOR_HEAP_MB_BY_STORE[readModels]}`,
];

/** Runs one of `bench/children/` for a single request. */
export const askOnce = async <S extends TSchema>(
  name: string,
  request: unknown,
  reply: S,
  flags: readonly string[] = [],
): Promise<Static<S>> => {
  const child = startChildProcess(name, flags);
  try {
    return await child.ask(request, reply);
  } finally {
    await child.end();
  }
};
