import { spawnSync } from 'node:child_process';

/** One may be installed beside the system's, with other modules. */
const PYTHONS = ['python3', '/usr/bin/python3'];

const runBy = (python: string, code: string, args: readonly string[], directory?: string) =>
  spawnSync(python, ['-c', code, ...args], {
    encoding: 'utf8',
    maxBuffer: 100_000_000,
    ...(directory === undefined ? {} : { cwd: directory }),
  });

/** Looks for modules without loading them, which takes pandas a second. */
const LOOK =
  'import sys\nfrom importlib.util import find_spec\nsys.exit(not all(map(find_spec, sys.argv[1:])))';

const pythonWith = (modules: readonly string[]): string | undefined =>
  PYTHONS.find((python) => runBy(python, LOOK, modules).status === 0);

/** Whether there is a Python that has some modules. */
export const hasPython = (...modules: readonly string[]): boolean => pythonWith(modules) !== undefined;

const importedBy = (code: string): readonly string[] =>
  [...code.matchAll(/^import (\w+)$/gm)].map(([, name = '']) => name);

/** What a program of Python prints, run in a directory by one that has what it imports. */
export const pythonRuns = (code: string, directory?: string, args: readonly string[] = []): string => {
  const python = pythonWith(importedBy(code)) ?? 'python3';
  const { status, stdout, stderr } = runBy(python, code, args, directory);
  if (status !== 0) throw new Error(`Python failed: ${stderr}`);
  return stdout;
};

/** What a program of Python prints as JSON, with its warnings of users' faults as errors. */
export const pythonPrints = (code: string, ...args: readonly string[]): unknown =>
  JSON.parse(
    pythonRuns(`import warnings\nwarnings.simplefilter('error', UserWarning)\n${code}`, undefined, args),
  );
