import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import type { Config } from '../../config/config.ts';
import type { Owner } from '../parts/data-directory.ts';
import { readinessOf, urlOf } from '../parts/running-service.ts';
import { bad, look, well, type Finding } from './finding.ts';

/** As Linux shows it in /proc/net/tcp: local address, state 0A for listening, inode. */
const LISTENING = /^\s*\d+: [0-9A-F]+:([0-9A-F]{4}) \S+ 0A (?:\S+ ){5}(\d+)/;

/** The process that listens on a port, where Linux tells this user; undefined elsewhere. */
const listenerOn = (port: number): string | undefined => {
  try {
    const inodes = ['/proc/net/tcp', '/proc/net/tcp6']
      .flatMap((file) => readFileSync(file, 'utf8').replace(/ +/g, ' ').split('\n'))
      .flatMap((line) => {
        const [, digits, inode] = LISTENING.exec(line) ?? [];
        return digits !== undefined && Number.parseInt(digits, 16) === port
          ? [`socket:[${inode ?? ''}]`]
          : [];
      });
    for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name)))
      if (holdsOne(pid, inodes))
        return `process ${pid} (${readFileSync(`/proc/${pid}/comm`, 'utf8').trim()})`;
  } catch {
    // Another system, or a process that has just ended.
  }
  return undefined;
};

/** Undefined where another user may not look, or where what was there has just gone. */
const attempt = <T>(look: () => T): T | undefined => {
  try {
    return look();
  } catch {
    return undefined;
  }
};

const holdsOne = (pid: string, inodes: readonly string[]): boolean =>
  (attempt(() => readdirSync(`/proc/${pid}/fd`)) ?? []).some((name) =>
    inodes.includes(attempt(() => readlinkSync(`/proc/${pid}/fd/${name}`)) ?? ''),
  );

/** Rejects as a start would where the port cannot be listened on. */
const tryListening = (host: string, port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(port, host, () => server.close(() => resolve()));
  });

/**
 * Whether the service could listen, unless it does already: the process that has the directory, or on servers any
 * instance that answers there.
 */
export const lookAtPort = async (
  { host, port, stores }: Pick<Config, 'host' | 'port' | 'stores'>,
  owner: Owner | undefined,
): Promise<readonly Finding[]> =>
  look('port', async () => {
    if (port === 0) return well('port', 'any free one');
    if (owner?.isRunning && owner.url !== undefined && Number(new URL(owner.url).port) === port)
      return well('port', `the service listens at ${owner.url}`);
    try {
      await tryListening(host, port);
      return well('port', `${host}:${port} is free`);
    } catch (error) {
      const url = urlOf({ host, port });
      const isOnFiles = stores.eventStore.kind === 'sqlite';
      const there = isOnFiles ? undefined : await readinessOf(url);
      if (there?.isService) return well('port', `an instance listens at ${url}, and ${there.text}`);
      const by = listenerOn(port);
      return bad(
        'port',
        `the service cannot listen at ${host}:${port}: ${by === undefined ? '' : `it is in use by ${by}: `}${error instanceof Error ? error.message : String(error)}`,
        `${isOnFiles ? '' : 'unless it is an instance that is slow to answer, '}end what uses it (ss -ltnp sport = :${port}), or name another PORT`,
      );
    }
  });
