import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** As Linux shows it in /proc/net/tcp: local address, state 0A for listening, inode. */
const LISTENING = /^\s*\d+: [0-9A-F]+:([0-9A-F]{4}) \S+ 0A (?:\S+ ){5}(\d+)/;

/** A process that listens on a port. */
export interface PortListener {
  readonly pid: string;
  /** Its number and name, in words. */
  readonly text: string;
}

/** The process that listens on a port, where Linux tells this user; undefined elsewhere. */
export const findPortListener = (port: number): PortListener | undefined => {
  try {
    const inodes = ['/proc/net/tcp', '/proc/net/tcp6']
      .flatMap((file) => readFileSync(file, 'utf8').replace(/ +/g, ' ').split('\n'))
      .flatMap((line) => {
        const [, digits, inode] = LISTENING.exec(line) ?? [];
        return digits !== undefined && Number.parseInt(digits, 16) === port ? [`socket:[${inode ?? ''}]`] : [];
      });
    for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name)))
      if (listOpenFiles(pid).some((file) => inodes.includes(file)))
        return { pid, text: `process ${pid} (${readFileSync(`/proc/${pid}/comm`, 'utf8').trim()})` };
  } catch {
    // Another system, or a process that has just ended.
  }
  return undefined;
};

/** Undefined where this user may not look, or where the process has just gone. */
const attempt = <T>(look: () => T): T | undefined => {
  try {
    return look();
  } catch {
    return undefined;
  }
};

/** The files that a process has open, by their present paths, and its sockets. */
export const listOpenFiles = (pid: string): readonly string[] =>
  (attempt(() => readdirSync(`/proc/${pid}/fd`)) ?? []).map(
    (name) => attempt(() => readlinkSync(`/proc/${pid}/fd/${name}`)) ?? '',
  );
