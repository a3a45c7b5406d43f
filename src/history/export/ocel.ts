import { basename, join } from 'node:path';
import { entityKinds, membersNaming, ownCategories, type Entity } from '../../domain/entity.ts';
import { IDENTIFIER } from '../../schema/schema.ts';
import { openWriter, setPragmas, type Connection } from '../../sqlite/connections.ts';
import { removeDatabase } from '../../sqlite/files.ts';
import type { FoundEvent } from '../find/event.ts';
import { makeNew, nameWhole, syncToDisk, unfinishedName } from '../../lib/new-file.ts';
import { sumOfFile } from './files.ts';
import { attributesTold, type ObjectColumns } from './ocel-attributes.ts';
import { followCandidates } from './ocel-candidates.ts';
import { sqliteValue, writeObjects } from './ocel-objects.ts';
import { waitingRows } from './ocel-rows.ts';
import { eventColumns, ocelSchema } from './ocel-schema.ts';
import { rowOf, type EventTable } from './tables.ts';
import type { ExportPlace, ExportWriter } from './writer.ts';

export const OCEL_FILE = 'log.ocel.sqlite';

const userId = new RegExp(IDENTIFIER);

/** The objects that an event names, with the member that does; the actor where that is a user. */
const namedIn = ({ data, actor }: FoundEvent): readonly (readonly [Entity, string])[] => [
  ...entityKinds.flatMap((kind) =>
    membersNaming[kind].flatMap((member): readonly (readonly [Entity, string])[] => {
      const id = data && Object.hasOwn(data, member) ? data[member] : undefined;
      return typeof id === 'string' ? [[{ kind, id }, member]] : [];
    }),
  ),
  ...(actor !== null && userId.test(actor) ? [[{ kind: 'user', id: actor }, 'actor'] as const] : []),
];

/** The object in whose stream an event stands; undefined for streams of no object. */
const ownerOf = ({ stream }: FoundEvent): Entity | undefined => {
  const dash = stream.indexOf('-');
  const kind = entityKinds.find((each) => ownCategories[each].includes(stream.slice(0, dash)));
  return kind && { kind, id: stream.slice(dash + 1) };
};

/** Writes events, with the objects that they name, into the tables of a log. */
const logWriter = (connection: Connection, tables: readonly EventTable[], columnsOf: ObjectColumns) => {
  connection.exec(ocelSchema(tables, columnsOf));
  const events = waitingRows(connection, 'event', ['ocel_id', 'ocel_type']);
  const byType = new Map(
    tables.map((table) => {
      const columns = ['ocel_id', 'ocel_time', ...eventColumns(table).map(({ name }) => name)];
      return [table.type, { table, values: waitingRows(connection, `event_${table.type}`, columns) }];
    }),
  );
  const objects = writeObjects(connection, columnsOf);
  const candidates = followCandidates(connection);
  let rows = 0;

  const writeChanges = (event: FoundEvent, owner: Entity): void => {
    const { position, type, data, recordedAt } = event;
    const changed = owner.kind === 'candidate' ? candidates.change(event) : undefined;
    objects.note(owner, recordedAt, changed?.attributes ?? attributesTold(event));
    if (type !== 'PostingClosed' || typeof data?.['postingId'] !== 'string') return;
    for (const { entity, attributes } of candidates.close(event, data['postingId'])) {
      objects.note(entity, recordedAt, attributes);
      objects.relate(position, entity, 'closed');
    }
  };

  return {
    write(event: FoundEvent): void {
      const found = byType.get(event.type);
      const row = found && rowOf(found.table, event);
      if (!row) return;
      rows++;
      const { columns } = found.table;
      const shown = eventColumns(found.table).map((column) => row[columns.indexOf(column)]);
      events.add([event.position, event.type]);
      found.values.add([event.position, event.recordedAt, ...shown.map(sqliteValue)]);
      const owner = ownerOf(event);
      if (owner) writeChanges(event, owner);
      for (const [entity, member] of namedIn(event)) {
        objects.note(entity, event.recordedAt, {});
        objects.relate(event.position, entity, member);
        const isOwner = owner?.kind === entity.kind && owner.id === entity.id;
        if (owner && !isOwner && member !== 'actor') objects.join(owner, entity, member);
      }
    },
    insert(): void {
      events.insert();
      for (const { values } of byType.values()) values.insert();
      objects.insert();
    },
    rows: () => rows,
  };
};

/** Writes events as an object-centric event log (OCEL 2.0) in one file of SQLite, which is made as a whole. */
export const writeOcel = (
  { operations, directory }: ExportPlace,
  tables: readonly EventTable[],
  columnsOf: ObjectColumns,
): ExportWriter<readonly FoundEvent[]> => {
  const file = join(directory, OCEL_FILE);
  removeDatabase(unfinishedName(file));
  makeNew(unfinishedName(file), operations);
  const connection = openWriter(unfinishedName(file), 'OFF', 'TRUNCATE');
  setPragmas(
    connection,
    // What a kill leaves is made anew.
    'journal_mode = OFF',
    // What is known of objects grows with the history: it is in a temporary file, not in memory.
    'temp_store = FILE',
    // 24 MB of pages: keys come in no order, so that an insert may need any page.
    'cache_size = -24000',
  );
  let isOpen = true;
  const close = (): void => {
    if (isOpen) connection.close();
    isOpen = false;
  };
  const log = logWriter(connection, tables, columnsOf);
  return {
    append(events) {
      connection.exec('BEGIN');
      for (const event of events) log.write(event);
      log.insert();
      connection.exec('COMMIT');
      return Promise.resolve();
    },
    async endPart() {
      close();
      operations.rmSync(`${unfinishedName(file)}-journal`, { force: true });
      syncToDisk(unfinishedName(file), operations);
      nameWhole(file, operations);
      const { bytes, hash } = await sumOfFile(file);
      return [{ name: basename(file), rows: log.rows(), bytes, sha256: hash.digest('hex') }];
    },
    close,
  };
};
