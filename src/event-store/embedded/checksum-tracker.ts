import { crc32 } from 'node:zlib';
import { CheckFailedError } from '../../sqlite/check-failed.ts';
import { inTransaction, prepareNumberSelect, type Connection } from '../../sqlite/connections.ts';
import { hasChecksums, prepareEventRows, prepareChecksummedUpTo } from './verifying-reader.ts';
import { readLostRanges } from './lost-ranges.ts';
import { ADD_CHECKSUM_SQL, CHECKSUMMED_UP_TO_PRAGMA } from './schema.ts';

/** Events after which the position is noted again: each note changes one more page of the file. */
const NOTE_EVERY = 1_000;

/**
 * Notes in a file up to which position every event has a checksum, and adds checksums to the events of earlier code.
 *
 * @param connection writes to a file that has the table of events, maybe that of earlier code
 */
export const createChecksumTracker = (connection: Connection) => {
  if (!hasChecksums(connection))
    inTransaction(connection, () => {
      if (!hasChecksums(connection)) connection.exec(ADD_CHECKSUM_SQL);
    });
  const noted = prepareChecksummedUpTo(connection);
  const lost = readLostRanges(connection);
  const selectHead = prepareNumberSelect(connection, 'SELECT coalesce(max(position), 0) FROM events');
  const selectUnchecked = connection
    .prepare('SELECT 1 FROM events WHERE position > ? AND position <= ? AND checksum IS NULL LIMIT 1')
    .raw();
  const selectSome = prepareEventRows(connection, 'position > ? ORDER BY position LIMIT ?');
  const update = connection.prepare('UPDATE events SET checksum = ? WHERE position = ?');
  /** The position up to which every event has a checksum, noted or not. */
  let whole = noted();

  const note = (position: number): void => {
    connection.exec(`PRAGMA ${CHECKSUMMED_UP_TO_PRAGMA} = ${position}`);
  };

  /**
   * The last position, of an event or one that is noted as lost, at the beginning of a transaction.
   *
   * @throws CheckFailedError where the end of the log is lost
   */
  const begin = (): number => {
    const [head, checked] = [selectHead(), noted()];
    if (head < checked)
      throw new CheckFailedError(`its last event is at position ${head}, where there was one at ${checked}`);
    // `whole` may be of a transaction that was rolled back.
    whole = Math.max(checked, Math.min(whole, head));
    if (whole < head && selectUnchecked.get([whole, head]) === undefined) whole = head;
    return Math.max(head, lost.end);
  };

  return {
    begin,
    /** Called at the end of a transaction that has appended events, with checksums, after a position. */
    end(before: number, head: number): void {
      if (whole < before) return;
      whole = head;
      if (head - noted() >= NOTE_EVERY) note(head);
    },
    /**
     * Adds checksums to the next events that have none, in a transaction.
     *
     * @returns whether there may be more
     */
    addChecksums: (limit: number): boolean =>
      inTransaction(connection, () => {
        begin();
        const rows = selectSome(whole, limit);
        for (const { position, bytes, checksum } of rows)
          if (checksum === null && bytes) update.run([crc32(bytes), position]);
        whole = rows.at(-1)?.position ?? whole;
        note(whole);
        return rows.length === limit;
      }),
    /** Notes the last position, when nothing more is appended. */
    close: (): void =>
      inTransaction(connection, () => {
        begin();
        if (whole > noted()) note(whole);
      }),
  };
};
export type ChecksumTracker = ReturnType<typeof createChecksumTracker>;
