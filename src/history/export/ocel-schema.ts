import { entityKinds } from '../../domain/entity.ts';
import type { MemberColumn } from '../warehouse/columns.ts';
import { quoted } from '../warehouse/duckdb.ts';
import type { ObjectColumns } from './ocel-attributes.ts';
import type { EventTable } from './tables.ts';

/** The types of columns as SQLite declares them; lists and objects are JSON as text, times RFC 3339 in UTC. */
const TYPES: Readonly<Record<MemberColumn['type'], string>> = {
  VARCHAR: 'TEXT',
  JSON: 'TEXT',
  BIGINT: 'INTEGER',
  DOUBLE: 'REAL',
  BOOLEAN: 'BOOLEAN',
  TIMESTAMP: 'TIMESTAMP',
};

const declared = (columns: readonly MemberColumn[]): string =>
  columns.map(({ name, type }) => `, ${quoted(name)} ${TYPES[type]}`).join('');

/** The tables that every log of the standard has (OCEL 2.0, relational format). */
const GENERAL = `
CREATE TABLE event_map_type (ocel_type TEXT PRIMARY KEY, ocel_type_map TEXT);
CREATE TABLE object_map_type (ocel_type TEXT PRIMARY KEY, ocel_type_map TEXT);
CREATE TABLE event (
  ocel_id TEXT PRIMARY KEY, ocel_type TEXT NOT NULL,
  FOREIGN KEY (ocel_type) REFERENCES event_map_type (ocel_type)
);
CREATE TABLE object (
  ocel_id TEXT PRIMARY KEY, ocel_type TEXT NOT NULL,
  FOREIGN KEY (ocel_type) REFERENCES object_map_type (ocel_type)
);
CREATE TABLE event_object (
  ocel_event_id TEXT, ocel_object_id TEXT, ocel_qualifier TEXT,
  PRIMARY KEY (ocel_event_id, ocel_object_id, ocel_qualifier),
  FOREIGN KEY (ocel_event_id) REFERENCES event (ocel_id),
  FOREIGN KEY (ocel_object_id) REFERENCES object (ocel_id)
);
CREATE TABLE object_object (
  ocel_source_id TEXT, ocel_target_id TEXT, ocel_qualifier TEXT,
  PRIMARY KEY (ocel_source_id, ocel_target_id, ocel_qualifier),
  FOREIGN KEY (ocel_source_id) REFERENCES object (ocel_id),
  FOREIGN KEY (ocel_target_id) REFERENCES object (ocel_id)
);
`;

/** What the writing needs to know of the events before; not in the file. */
const BESIDE = `
CREATE TEMP TABLE known (object TEXT PRIMARY KEY, attributes TEXT NOT NULL);
CREATE TEMP TABLE candidates (
  id TEXT PRIMARY KEY, posting TEXT NOT NULL, is_open INTEGER NOT NULL, state TEXT NOT NULL
);
CREATE INDEX temp.candidates_of ON candidates (posting, is_open);
CREATE TEMP TABLE closings (posting TEXT PRIMARY KEY, recordedAt TEXT NOT NULL, actor TEXT NOT NULL);
`;

/** The columns of an event's table besides its id and time. */
export const eventColumns = ({ columns }: EventTable): readonly MemberColumn[] =>
  columns.filter(({ name }) => name !== 'position' && name !== 'recorded_at');

/** The tables of a log, for some types of events and all types of objects. */
export const ocelSchema = (tables: readonly EventTable[], columnsOf: ObjectColumns): string =>
  [
    GENERAL,
    ...tables.map(
      (table) =>
        `INSERT INTO event_map_type VALUES ('${table.type}', '${table.type}');
         CREATE TABLE ${quoted(`event_${table.type}`)} (
           ocel_id TEXT PRIMARY KEY, ocel_time TIMESTAMP${declared(eventColumns(table))},
           FOREIGN KEY (ocel_id) REFERENCES event (ocel_id));`,
    ),
    ...entityKinds.map(
      (kind) =>
        `INSERT INTO object_map_type VALUES ('${kind}', '${kind}');
         CREATE TABLE object_${kind} (
           ocel_id TEXT, ocel_time TIMESTAMP, ocel_changed_field TEXT${declared(columnsOf[kind])},
           FOREIGN KEY (ocel_id) REFERENCES object (ocel_id));`,
    ),
    BESIDE,
  ].join('\n');
