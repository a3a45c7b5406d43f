import { readFileSync } from 'node:fs';

/** Files for stores, workers, connections to servers, `/metrics`. */
const RESERVED = 256;

/** How many files this process may have open, by Linux's proc(5); undefined on other systems. */
export const readOpenFilesLimit = (file = '/proc/self/limits'): number | undefined => {
  try {
    const limit = /^Max open files\s+(\d+)/m.exec(readFileSync(file, 'utf8'))?.[1];
    return limit === undefined ? undefined : Number(limit);
  } catch {
    return undefined;
  }
};

/** The wanted connections, as far as files remain for them: half of the limit where it is very low. */
export const affordableConnections = (wanted: number, openFiles: number | undefined): number =>
  openFiles === undefined
    ? wanted
    : Math.max(1, Math.min(wanted, Math.max(openFiles - RESERVED, Math.floor(openFiles / 2))));
