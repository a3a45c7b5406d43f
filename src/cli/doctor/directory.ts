import { spawn } from 'node:child_process';
import { constants, type Stats } from 'node:fs';
import { access, lstat, readdir, realpath, stat, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { hasCode } from '../../lib/error.ts';
import { byteSizeText } from '../../lib/byte-size-text.ts';
import { withTimeout } from '../../lib/with-timeout.ts';
import { readDirectoryOwner } from '../parts/data-directory.ts';
import { badFinding, runAsFindings, wellFinding, type Finding } from './finding.ts';

const MIN_FREE_BYTES = 256 * 1_024 * 1_024;
/** For a start, whose files come with `-wal` and `-shm`, and for a rebuild of all projections. */
const MIN_FREE_INODES = 100;

const unlessMissing = (error: unknown): undefined => {
  if (hasCode(error, 'ENOENT')) return undefined;
  throw error;
};

/**
 * The status of a path; undefined where nothing is there. @throws for one that cannot be read, such as a broken link
 */
export const readFileStatus = async (path: string): Promise<Stats | undefined> => {
  const status = await lstat(path).catch(unlessMissing);
  return status && stat(path);
};

/** The closest existing directory at or above a path. @throws where something else is there */
const existingDirectory = async (path: string): Promise<string> => {
  const status = await readFileStatus(path);
  if (!status) return existingDirectory(dirname(path));
  if (!status.isDirectory()) throw new Error(`${path} is no directory`);
  return path;
};

const READ_ONLY = 'mount says which file system that is, dmesg why, and mount -o remount,rw makes it writable';
const GOES_ON = 'hiring serve goes on with it; the log of the service or of the machine (dmesg) may say what killed it';
const NOT_OURS = 'chown or chmod so that this user can write it, or name another DATA_DIR';

/** What keeps a process from writing in a directory, and what helps; undefined where nothing does. */
const unwritable = async (directory: string): Promise<Finding | undefined> => {
  try {
    await access(directory, constants.R_OK | constants.W_OK | constants.X_OK);
    return undefined;
  } catch (error) {
    const isReadOnly = hasCode(error, 'EROFS');
    return badFinding('data directory', error, isReadOnly ? READ_ONLY : NOT_OURS);
  }
};

/** Whether the directory can be used, and who has it. */
export const diagnoseDataDirectory = (directory: string): Promise<readonly Finding[]> =>
  runAsFindings(
    'data directory',
    async () => {
      const there = await existingDirectory(directory);
      const fault = await unwritable(there);
      if (fault) return fault;
      if (there !== directory) return wellFinding('data directory', `${directory} is not there yet, and can be made`);
      const owner = readDirectoryOwner(directory);
      if (!owner) return wellFinding('data directory', `${directory} is free`);
      if (owner.isRunning)
        return wellFinding('data directory', `${directory} is in use by the process with pid ${owner.pid}`);
      const text = `${directory} was left by process ${owner.pid}, there since ${owner.since}, which was killed`;
      return badFinding('data directory', text, GOES_ON);
    },
    NOT_OURS,
  );

const HUNG = 'dmesg may say which disk hangs; what waits for it goes on when it answers';
/** Longer than a starved machine takes to start a process and write a file. */
const WRITE_MS = 15_000;
/** Writes a file and removes it; exit code 2 where the file system is read-only. Other checks find other faults. */
const WRITE = `const { rmSync, writeFileSync } = require('node:fs'); const file = process.argv[1];
  try { writeFileSync(file, ' ', { flag: 'wx', mode: 0o600 }); } catch ({ code }) { process.exitCode = code === 'EROFS' ? 2 : 0; }
  if (!process.exitCode) rmSync(file, { force: true });`;

/**
 * What keeps a file from being written although the rights allow it: a file system that has become read-only after an
 * error, or a disk that hangs. That holds up whoever writes, so a process of its own does.
 */
export const diagnoseDiskWrites = async (directory: string): Promise<readonly Finding[]> => {
  if ((await unwritable(directory)) !== undefined) return [];
  const file = join(directory, `.doctor-${process.pid}`);
  const child = spawn(process.execPath, ['-e', WRITE, file], { stdio: 'ignore' });
  child.unref();
  // Where no process can be started, nothing is known of the disk.
  const ended = new Promise((resolve) => child.once('exit', resolve).once('error', resolve));
  try {
    const code = await withTimeout(ended, WRITE_MS, 'late');
    return code === 2 ? [badFinding('data directory', `${directory} is read-only`, READ_ONLY)] : [];
  } catch {
    const text = `${directory} has taken no file for ${WRITE_MS / 1_000} s, and nothing in it was looked at`;
    return [{ ...badFinding('data directory', text, HUNG), isHung: true }];
  }
};

/** Where the file system of a directory is mounted. */
const mountOf = async (directory: string): Promise<string> => {
  const above = dirname(directory);
  const [{ dev }, { dev: devAbove }] = [await stat(directory), await stat(above)];
  return above === directory || dev !== devAbove ? directory : mountOf(above);
};

/** Whether there is room for what the service writes. */
export const diagnoseDiskSpace = (directory: string): Promise<readonly Finding[]> =>
  runAsFindings('disk', async () => {
    const there = await existingDirectory(directory);
    const { bavail, blocks, bsize, files, ffree } = await statfs(there);
    const free = bavail * bsize;
    const text = `${byteSizeText(free)} of ${byteSizeText(blocks * bsize)} are free`;
    const noInodes = `only ${ffree} more files can be made: the inodes are used up`;
    // File systems that make inodes on demand report a total of none.
    if (files > 0 && ffree < MIN_FREE_INODES) return badFinding('disk', noInodes, `df -i ${directory}`);
    if (free >= MIN_FREE_BYTES) return wellFinding('disk', text);
    const mount = await mountOf(await realpath(there));
    return badFinding('disk', `${text}: too little`, `du -xhd2 ${mount} | sort -h says what takes the room`);
  });

/** The most frequent item; the first of several. */
const mostFrequent = (items: readonly number[]): number | undefined => {
  const countOf = (item: number) => items.filter((each) => each === item).length;
  return [...new Set(items)].sort((a, b) => countOf(b) - countOf(a))[0];
};

/** Whether all files of the stores belong to one user, and can be used by this process. */
export const diagnoseFileOwners = (directory: string, stores: readonly string[]): Promise<readonly Finding[]> =>
  runAsFindings('owners', async () => {
    const home = await readFileStatus(directory);
    const names = home ? await readdir(directory) : [];
    const own = names.filter((name) => stores.some((store) => name.startsWith(store)));
    // -wal and -shm may go meanwhile: who closes a file of SQLite removes them, as other looks of this command do.
    const found = await Promise.all(
      own.map(async (name) => {
        const path = join(directory, name);
        const status = await stat(path).catch(unlessMissing);
        return status ? [{ path, status }] : [];
      }),
    );
    const files = found.flat();
    const log = files.find(({ path }) => path === join(directory, stores[0] ?? ''))?.status.uid;
    // Where these two differ either may be the strange one.
    const owner = home && log !== home.uid ? mostFrequent([...files.map(({ status }) => status.uid), home.uid]) : log;
    const strange = files.filter(({ status }) => status.uid !== owner);
    const right = files.find(({ status }) => status.uid === owner)?.path ?? directory;
    const findings = strange.map(({ path, status }) => {
      const text = `${path} belongs to user ${status.uid}, and most there to user ${owner ?? ''}`;
      return badFinding('owners', text, `chown --reference=${right} ${path}`);
    });
    for (const { path } of files)
      await access(path, constants.R_OK | constants.W_OK)
        .catch(unlessMissing)
        .catch((error: unknown) =>
          findings.push(badFinding('owners', error, `chown or chmod ${path} so that the service's user can use it`)),
        );
    return findings.length > 0
      ? findings
      : wellFinding('owners', `${files.length} files, of one user that can use them`);
  });
