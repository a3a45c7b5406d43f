import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';

const hiring = join(import.meta.dirname, '../../dist/bin/hiring.js');
const prism = join(import.meta.dirname, 'node_modules/@stoplight/prism-cli/dist/index.js');

/** Starts a program, and gives what it prints from any moment on, as soon as it has. */
const start = (script, options, env) => {
  const stdio = ['ignore', 'pipe', 'inherit'];
  const child = spawn(process.execPath, [script, ...options], { env, stdio });
  let printed = '';
  child.stdout.setEncoding('utf8').on('data', (text) => (printed += text));
  const printedFrom = () => {
    const from = printed.length;
    return async (pattern) => {
      for (;;) {
        const found = pattern.exec(printed.slice(from))?.[1];
        if (found !== undefined) return found;
        await once(child.stdout, 'data');
      }
    };
  };
  const stop = async () => {
    child.kill();
    await once(child, 'exit');
  };
  return { printedFrom, stop };
};

/**
 * Starts the demo as it is shipped, with an empty data directory, and before it Prism, which answers in its place where
 * a request or an answer is not as /openapi.json says.
 */
export const startDemo = async () => {
  const directory = mkdtempSync(join(tmpdir(), 'hiring-clients-'));
  const env = { PATH: process.env.PATH, PORT: '0', DATA_DIR: directory };
  const demo = start(hiring, ['serve'], env);
  const service = await demo.printedFrom()(/listens on (\S+)/);
  const proxy = start(prism, ['proxy', '--errors', '--port', '0', `${service}/openapi.json`, service], {});
  return {
    /** Of what /openapi.json describes. */
    base: await proxy.printedFrom()(/Prism is listening on (\S+)/),
    /** Of the rest. */
    service,
    directory,
    printedFrom: demo.printedFrom,
    /** A token of the demo, by options of `hiring token`. */
    tokenFor: (...options) =>
      execFileSync(process.execPath, [hiring, 'token', ...options], { env, encoding: 'utf8' }).trim(),
    stop: async () => {
      await Promise.all([proxy.stop(), demo.stop()]);
      rmSync(directory, { recursive: true });
    },
  };
};
