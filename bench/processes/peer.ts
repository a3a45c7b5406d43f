import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Static, TSchema } from '../../src/schema/typebox.ts';
import { Type } from '../../src/schema/typebox.ts';
import { parse } from '../../src/schema/parse.ts';
import { endOf, keepTrackOf, type Server } from './running.ts';

const directory = fileURLToPath(new URL('../../../bench/peers', import.meta.url));

/** Whether the peer was installed (`npm ci` in `bench/peers`); the figures are measured without it otherwise. */
export const isPeerThere = (): boolean => existsSync(join(directory, 'node_modules'));

const start = (script: string, args: readonly string[]) =>
  keepTrackOf(
    spawn(process.execPath, [join(directory, 'src', script), ...args], {
      cwd: directory,
      // As Express asks for in production.
      env: { PATH: process.env['PATH'], NODE_ENV: 'production' },
      stdio: ['ignore', 'pipe', 'inherit'],
    }),
  );

/** Starts the peer's server. */
export const startPeer = async (databaseFile: string): Promise<Server> => {
  const child = start('serve.js', [databaseFile]);
  const lines = createInterface({ input: child.stdout });
  const line = await Promise.race([
    once(lines, 'line').then(([first]) => String(first)),
    once(child, 'exit').then(([code]) => {
      throw new Error(`The peer's serve.js ended with ${String(code)}`);
    }),
  ]);
  const { url } = parse(Type.Object({ url: Type.String() }), JSON.parse(line), 'serve.js');
  return {
    url,
    async end() {
      await endOf(child);
    },
  };
};

/** Runs one of the peer's scripts to its end; it prints one line of JSON. */
export const runPeer = async <S extends TSchema>(
  script: string,
  args: readonly string[],
  schema: S,
): Promise<Static<S>> => {
  const child = start(script, args);
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`The peer's ${script} ended with ${String(code)}: ${output}`);
  return parse(schema, JSON.parse(output.trim().split('\n').at(-1) ?? ''), script);
};

/** The peer's store with the history of a world: loaded once, kept beside the world's log. */
export const loadedPeer = async (world: string, say: (text: string) => void): Promise<string> => {
  const file = join(world, 'emmett.db');
  if (existsSync(file)) return file;
  say('Loading the history of a world into Emmett');
  await runPeer('load.js', [join(world, 'events.db'), file], Type.Object({}));
  return file;
};
