import { spawnSync } from 'node:child_process';

/** The second may have other modules than the system's, and may be a slow script that looks for a Python. */
const PYTHONS = ['/usr/bin/python3', 'python3'];

const runBy = (python: string, code: string, args: readonly string[], directory?: string) =>
  spawnSync(python, ['-c', code, ...args], {
    encoding: 'utf8',
    maxBuffer: 100_000_000,
    ...(directory === undefined ? {} : { cwd: directory }),
  });

/** Looks for modules without loading them, which takes pandas a second; prints where this Python is if it has them. */
const LOOK =
  'import sys\nfrom importlib.util import find_spec\nif all(map(find_spec, sys.argv[1:])): print(sys.executable, end="")';

/** Where a Python is, if it has some modules; empty if it has not, or is none. */
const pathOf = (python: string, modules: readonly string[]): string => {
  const { status, stdout } = runBy(python, LOOK, modules);
  return status === 0 ? stdout : '';
};

const known = new Map<string, string>();
/** Where a Python is that has some modules; empty where none has. */
const pythonWith = (modules: readonly string[]): string => {
  const wanted = modules.join();
  const path = known.get(wanted) ?? PYTHONS.reduce((found, python) => found || pathOf(python, modules), '');
  known.set(wanted, path);
  return path;
};

/** Whether there is a Python that has some modules. */
export const hasPython = (...modules: readonly string[]): boolean => pythonWith(modules) !== '';

const importedBy = (code: string): readonly string[] =>
  [...code.matchAll(/^import (\w+)$/gm)].map(([, name = '']) => name);

/** What a program of Python prints, run in a directory by one that has what it imports. */
export const pythonRuns = (code: string, directory?: string, args: readonly string[] = []): string => {
  const python = pythonWith(importedBy(code)) || 'python3';
  const { status, stdout, stderr } = runBy(python, code, args, directory);
  if (status !== 0) throw new Error(`Python failed: ${stderr}`);
  return stdout;
};

/** What a program of Python prints as JSON, with its warnings of users' faults as errors. */
export const pythonPrints = (code: string, ...args: readonly string[]): unknown =>
  JSON.parse(pythonRuns(`import warnings\nwarnings.simplefilter('error', UserWarning)\n${code}`, undefined, args));
