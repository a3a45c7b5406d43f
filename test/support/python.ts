import { spawnSync } from 'node:child_process';

const run = (code: string, args: readonly string[]) =>
  spawnSync('python3', ['-c', code, ...args], { encoding: 'utf8', maxBuffer: 100_000_000 });

/** Whether there is a Python that has some modules. */
export const hasPython = (...modules: readonly string[]): boolean =>
  run(modules.map((name) => `import ${name}`).join('\n'), []).status === 0;

/** What a program of Python prints as JSON, with its warnings of users' faults as errors. */
export const pythonPrints = (code: string, ...args: readonly string[]): unknown => {
  const { status, stdout, stderr } = run(
    `import warnings\nwarnings.simplefilter('error', UserWarning)\n${code}`,
    args,
  );
  if (status !== 0) throw new Error(`Python failed: ${stderr}`);
  return JSON.parse(stdout);
};
