import { readFileSync } from 'node:fs';

/** For what the service opens beside its clients' connections: stores, workers, its own connections to servers, `/metrics`. */
const RESERVED = 256;

/** How many files this process may have open, by Linux's proc(5); undefined where the system does not tell. */
export const openFilesLimit = (file = '/proc/self/limits'): number | undefined => {
  try {
    const limit = /^Max open files\s+(\d+)/m.exec(readFileSync(file, 'utf8'))?.[1];
    return limit === undefined ? undefined : Number(limit);
  } catch {
    // Other systems have no such file.
    return undefined;
  }
};

/** As many connections as are wanted, or as files may be open for them: half of them where there are very few. */
export const affordableConnections = (wanted: number, openFiles: number | undefined): number =>
  openFiles === undefined
    ? wanted
    : Math.max(1, Math.min(wanted, Math.max(openFiles - RESERVED, Math.floor(openFiles / 2))));
