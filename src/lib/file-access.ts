import {
  accessSync,
  constants,
  closeSync,
  fchmodSync,
  fchownSync,
  lstatSync,
  mkdirSync,
  openSync,
  statSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** Who may use a new file, or a new directory. */
export interface FileAccess {
  /** Left out: the user of this process, and the group that the operating system gives. */
  readonly owner?: { readonly uid: number; readonly gid: number };
  readonly mode: number;
}

/** Readable by its user alone. */
export const PRIVATE_ACCESS: FileAccess = { mode: 0o600 };
export const GROUP_SHARED_MODE = 0o660;
const [GROUP_WRITES, OTHERS_WRITE, GIVES_GROUP] = [0o020, 0o002, 0o2000];

/** The event log, unless the configuration names it otherwise: its owner runs the service. */
const EVENT_LOG_NAME = 'events.db';
const eventLogFileIn = (directory: string) => {
  const found = lstatSync(join(directory, EVENT_LOG_NAME), { throwIfNoEntry: false });
  return found?.isFile() === true ? found : undefined;
};

const isRoot = (): boolean => process.geteuid?.() === 0;

/**
 * Whether a directory is of all processes of a group, as Kubernetes' `fsGroup` makes it: the group may write there, and
 * new files get that group.
 */
const isShared = (directory: string): boolean => {
  const { mode, gid } = statSync(directory);
  if ((mode & GROUP_WRITES) === 0) return false;
  const getsGroup = isRoot() || gid === process.getegid?.();
  return (mode & GIVES_GROUP) !== 0 || ((mode & OTHERS_WRITE) === 0 && getsGroup);
};

/**
 * Who may use the files of a data directory. Those that root makes belong to the owner of the event log, and before
 * there is one to that of the directory, so that the service can open them.
 */
export const fileAccessIn = (directory: string): FileAccess => {
  const mode = isShared(directory) ? GROUP_SHARED_MODE : PRIVATE_ACCESS.mode;
  if (!isRoot()) return { mode };
  const { uid, gid } = eventLogFileIn(directory) ?? statSync(directory);
  return { owner: { uid, gid }, mode };
};

/** Who may use a new file: beside an event log it is one of the data directory, and private elsewhere. */
export const fileAccessFor = (file: string): FileAccess =>
  eventLogFileIn(dirname(file)) ? fileAccessIn(dirname(file)) : PRIVATE_ACCESS;

/** The owner of the event log, if it could not open files that this process makes; otherwise undefined. */
export const lockedOutLogOwner = (directory: string): number | undefined => {
  const { uid } = eventLogFileIn(directory) ?? {};
  if (uid === undefined || uid === process.geteuid?.() || isRoot() || isShared(directory)) return undefined;
  return uid;
};

/** Whether this process may make files in a directory, and the owner of the event log could open them. */
export const mayMakeFiles = (directory: string): boolean => {
  try {
    accessSync(directory, constants.W_OK | constants.X_OK);
  } catch {
    return false;
  }
  return lockedOutLogOwner(directory) === undefined;
};

/** Gives a new file to its owner, whatever the umask. By its descriptor: a name may lead elsewhere by now. */
export const applyFileAccess = (descriptor: number, { owner, mode }: FileAccess): void => {
  if (owner) fchownSync(descriptor, owner.uid, owner.gid);
  fchmodSync(descriptor, mode);
};

/** Makes a directory and its missing parents, for those who may use the files of the directory above. */
export const makeDirectory = (directory: string): void => {
  if (statSync(directory, { throwIfNoEntry: false })?.isDirectory() === true) return;
  const above = dirname(resolve(directory));
  makeDirectory(above);
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const { mode, ...access } = fileAccessIn(above);
  const descriptor = openSync(directory, constants.O_DIRECTORY | constants.O_NOFOLLOW);
  try {
    applyFileAccess(descriptor, { ...access, mode: mode === GROUP_SHARED_MODE ? 0o770 | GIVES_GROUP : 0o700 });
  } finally {
    closeSync(descriptor);
  }
};
