import { checksumOf, EVENT_COLUMNS } from '../../src/event-store/embedded/event-rows.ts';
import { closeAfter, openWriter } from '../../src/sqlite/connections.ts';

/** Changes events in a file by an SQL statement, as if they had been stored so. */
export const editLog = (file: string, sql: string): void =>
  closeAfter(openWriter(file, 'NORMAL'), (connection) => {
    connection.exec(sql);
    const update = connection.prepare('UPDATE events SET checksum = ? WHERE position = ?');
    const rows = connection.prepare(`SELECT ${EVENT_COLUMNS} FROM events`).raw().all([]);
    for (const row of rows as Parameters<typeof checksumOf>[0][]) update.run([checksumOf(row), row[0]]);
  });
