// @ts-check
import sqlite3 from 'sqlite3';

const PAGE = 1_000;

/**
 * @typedef {object} Row
 * @property {number} position
 * @property {string} stream
 * @property {number} revision
 * @property {string} id
 * @property {string} type
 * @property {string} data JSON
 * @property {string} metadata JSON
 */

/**
 * @param {sqlite3.Database} database
 * @param {number} after position
 * @param {number} most rows
 * @returns {Promise<Row[]>}
 */
const readPage = (database, after, most) =>
  new Promise((resolve, reject) => {
    database.all(
      'SELECT position, stream, revision, id, type, data, metadata FROM events WHERE position > ? ORDER BY position LIMIT ?',
      [after, most],
      (/** @type {Error | null} */ error, /** @type {Row[]} */ rows) => (error ? reject(error) : resolve(rows)),
    );
  });

/** @param {string} fileName @returns {Promise<sqlite3.Database>} */
const openForReading = (fileName) =>
  new Promise((resolve, reject) => {
    const database = new sqlite3.Database(fileName, sqlite3.OPEN_READONLY, (error) =>
      error ? reject(new Error(`${fileName} cannot be read: ${error.message}`)) : resolve(database),
    );
  });

/**
 * Reads a history in the order of its log.
 *
 * @param {string} fileName an `events.db` of the service; it is only read
 * @param {number} limit how many events at most
 * @returns {AsyncGenerator<Row>}
 */
export async function* readEvents(fileName, limit) {
  const database = await openForReading(fileName);
  try {
    let after = 0;
    for (let left = limit; left > 0;) {
      const rows = await readPage(database, after, Math.min(PAGE, left));
      yield* rows;
      const last = rows.at(-1);
      if (!last) return;
      after = last.position;
      left -= rows.length;
    }
  } finally {
    database.close();
  }
}
