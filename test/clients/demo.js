import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';

const hiring = join(import.meta.dirname, '../../dist/bin/hiring.js');

/** Starts the demo as it is shipped, with an empty data directory. */
export const startDemo = async () => {
  const directory = mkdtempSync(join(tmpdir(), 'hiring-clients-'));
  const env = { PATH: process.env.PATH, PORT: '0', DATA_DIR: directory };
  const demo = spawn(process.execPath, [hiring, 'serve'], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let printed = '';
  demo.stdout.setEncoding('utf8').on('data', (text) => (printed += text));
  /** What the demo prints from here on, as soon as it has. */
  const printedFrom = () => {
    const from = printed.length;
    return async (pattern) => {
      for (;;) {
        const found = pattern.exec(printed.slice(from))?.[1];
        if (found !== undefined) return found;
        await once(demo.stdout, 'data');
      }
    };
  };
  return {
    base: await printedFrom()(/listens on (\S+)/),
    directory,
    printedFrom,
    /** A token of the demo, by options of `hiring token`. */
    tokenFor: (...options) =>
      execFileSync(process.execPath, [hiring, 'token', ...options], { env, encoding: 'utf8' }).trim(),
    stop: async () => {
      demo.kill();
      await once(demo, 'exit');
      rmSync(directory, { recursive: true });
    },
  };
};
