import { existsSync, linkSync, renameSync } from 'node:fs';
import { closeAfter, openReader, openSideWriter } from '../../sqlite/connections.ts';
import { SQLITE_SUFFIXES } from '../../sqlite/files.ts';
import { hasWalContent } from './log-file.ts';
import { toPosition } from './schema.ts';

/** Copies a snapshot of an event log into a new file, also while the service writes (SQLite, VACUUM INTO). */
export const copySnapshot = (file: string, to: string): void => {
  closeAfter(openSideWriter(file), (connection) => connection.prepare('VACUUM INTO ?').run([to]));
};

/**
 * Counts what a file holds; the position is that of its last event, or START_POSITION.
 *
 * @throws Error for a file that cannot be read as an event log
 */
export const countLogContent = (file: string) =>
  closeAfter(openReader(file), (connection) => {
    const [last, events, streams, idempotencyRecords] = connection
      .prepare(
        `SELECT coalesce(max(position), 0), count(*), (SELECT count(*) FROM (SELECT DISTINCT stream FROM events)),
         (SELECT count(*) FROM receipts) FROM events`,
      )
      .raw()
      .get([]) as readonly [number, number, number, number];
    return { position: toPosition(last), events, streams, idempotencyRecords };
  });

/**
 * Writes the write-ahead log into the file, so that the file alone is the event log.
 *
 * @throws Error while another connection uses the write-ahead log
 */
const checkpointWal = (file: string): void => {
  closeAfter(openSideWriter(file), (connection) => connection.pragma('wal_checkpoint(TRUNCATE)'));
  if (hasWalContent(file))
    throw new Error(`What is in ${file}-wal cannot be written into the file: another program uses it`);
};

/**
 * Replaces an event log that no process has open, by one rename: a kill leaves the old file or the new one. The old one
 * is kept under another name.
 *
 * @param isDamaged whether the old file is damaged: its write-ahead log is then set aside with it
 */
export const replaceLogFile = (newFile: string, file: string, replacedFile: string, isDamaged: boolean): void => {
  checkpointWal(newFile);
  if (existsSync(file)) {
    if (!isDamaged) checkpointWal(file);
    linkSync(file, replacedFile);
  }
  // One that stayed would be read as that of the new file.
  if (isDamaged)
    for (const suffix of SQLITE_SUFFIXES.filter((one) => existsSync(file + one)))
      renameSync(file + suffix, replacedFile + suffix);
  renameSync(newFile, file);
};
