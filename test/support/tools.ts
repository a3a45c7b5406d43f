import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { hasNginx } from './nginx.ts';
import { CLI, type MachineUser } from './process.ts';
import { hasPython } from './python.ts';

/** A program that tests run and that a machine may lack. */
interface Tool {
  readonly name: string;
  readonly isThere: () => boolean;
}

/** One that is found by `PATH`. */
export const command = (name: string): Tool => ({
  name,
  isThere: () => (process.env['PATH'] ?? '').split(delimiter).some((place) => existsSync(join(place, name))),
});

export const pythonWith = (module: string): Tool => ({
  name: `Python with ${module}`,
  isThere: () => hasPython(module),
});

export const nginxHere: Tool = { name: 'nginx', isThere: hasNginx };

export const CHROMIUM = process.env['TEST_CHROMIUM'] ?? '/usr/bin/chromium';
export const chromiumHere: Tool = { name: `Chromium at ${CHROMIUM}`, isThere: () => existsSync(CHROMIUM) };

/** The user `nobody` of most machines, who has no files. */
export const NOBODY: MachineUser = { uid: 65_534, gid: 65_534 };
export const otherUsers: Tool = {
  name: 'root who may run the service as another user',
  isThere: () => process.geteuid?.() === 0 && spawnSync(process.execPath, [CLI, '--help'], NOBODY).status === 0,
};

/** Why what needs some tools is skipped here; undefined where all of them are there. */
const reasonToSkip = (tools: readonly Tool[]): string | undefined => {
  const missing = tools.filter(({ isThere }) => !isThere()).map(({ name }) => name);
  return missing.length === 0 ? undefined : `is skipped: there is no ${missing.join(' and no ')}`;
};

/** A test that runs some tools, or a line that says which of them is missing. */
export const itWith = (tools: readonly Tool[], title: string, test: Mocha.Func | Mocha.AsyncFunc): void => {
  const reason = reasonToSkip(tools);
  if (reason === undefined) it(title, test);
  else it.skip(`${title} (${reason})`);
};

/** A suite of which every test runs some tools, or a line that says which of them is missing. */
export const describeWith = (tools: readonly Tool[], title: string, suite: (this: Mocha.Suite) => void): void => {
  const reason = reasonToSkip(tools);
  describe(title, reason === undefined ? suite : () => void it.skip(reason));
};
