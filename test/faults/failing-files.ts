import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../support/project.ts';

const LETTERS = { writes: 'W', reads: 'R', hang: 'H' } as const;

/** Makes the files of a process fail, where a process is started with `environment`. */
export interface FailingFiles {
  readonly environment: Readonly<Record<string, string>>;
  /** From now on nothing in the directory can be written, or read, or what is written waits. */
  begin(what: keyof typeof LETTERS): void;
  /** All works again. */
  pass(): void;
  remove(): void;
}

/**
 * Makes files fail without a device that fails: a library between the process and the system, compiled here.
 *
 * @param directory whose files are to fail
 * @throws Error where there is no C compiler
 */
export const failingFiles = (directory: string): FailingFiles => {
  const own = mkdtempSync(join(tmpdir(), 'failing-'));
  const [library, control] = [join(own, 'failing-files.so'), join(own, 'control')];
  const source = join(root, 'test', 'faults', 'failing-files.c');
  execFileSync('cc', ['-shared', '-fPIC', '-O1', '-o', library, source]);
  return {
    environment: { LD_PRELOAD: library, FAILING_DIRECTORY: directory, FAILING_CONTROL: control },
    begin: (what) => writeFileSync(control, LETTERS[what]),
    pass: () => rmSync(control, { force: true }),
    remove: () => rmSync(own, { recursive: true }),
  };
};
