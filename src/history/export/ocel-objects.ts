import { entityText, type Entity } from '../../domain/entity.ts';
import { createBoundedCache } from '../../lib/bounded-cache.ts';
import { canonicalJson, isObject, type Json, type JsonObject } from '../../schema/json.ts';
import type { Connection } from '../../sqlite/connections.ts';
import type { MemberColumn } from '../warehouse/columns.ts';
import type { ObjectColumns } from './ocel-attributes.ts';
import { waitingRows, type SqliteValue, type WaitingRows } from './ocel-rows.ts';

/** A value as SQLite is given it. */
export const sqliteValue = (value: Json | undefined): SqliteValue => {
  if (value === undefined || value === null) return null;
  if (typeof value === 'boolean') return value ? 1 : 0;
  return typeof value === 'object' ? JSON.stringify(value) : value;
};

/** Objects that are known to be there without a look into the log. */
const MAX_NOTED = 20_000;

/** Begins to write the objects of a log, whose tables are there, and how they relate. */
export const writeObjects = (connection: Connection, columnsOf: ObjectColumns) => {
  const addObject = connection.prepare('INSERT OR IGNORE INTO object VALUES (?, ?)');
  const selectKnown = connection.prepare('SELECT attributes FROM temp.known WHERE object = ?').raw();
  const putKnown = connection.prepare('INSERT OR REPLACE INTO temp.known VALUES (?, ?)');
  const rowsOf = new Map<string, WaitingRows>();
  const rowsIn = (table: string, columns: readonly string[]): WaitingRows => {
    const name = `${table} ${columns.join()}`;
    const found = rowsOf.get(name) ?? waitingRows(connection, table, columns);
    rowsOf.set(name, found);
    return found;
  };
  const relations = rowsIn('event_object', ['ocel_event_id', 'ocel_object_id', 'ocel_qualifier']);
  const joins = rowsIn('object_object', ['ocel_source_id', 'ocel_target_id', 'ocel_qualifier']);
  const values = ({ kind }: Entity, columns: readonly MemberColumn[]): WaitingRows =>
    rowsIn(`object_${kind}`, [
      'ocel_id',
      'ocel_time',
      'ocel_changed_field',
      ...columns.map(({ name }) => name),
    ]);
  const noted = createBoundedCache<true>(MAX_NOTED);
  const isNew = (object: string, kind: string): boolean => {
    if (noted.get(object)) return false;
    noted.set(object, true);
    return addObject.run([object, kind]).changes > 0;
  };
  const knownOf = (object: string): JsonObject => {
    const [text = '{}'] = (selectKnown.get([object]) ?? []) as readonly string[];
    const attributes: unknown = JSON.parse(text);
    // What was put there is JSON.
    return isObject(attributes) ? (attributes as JsonObject) : {};
  };
  const change = (entity: Entity, time: string | null, before: JsonObject, attributes: JsonObject): void => {
    for (const column of columnsOf[entity.kind]) {
      const { name } = column;
      if (!Object.hasOwn(attributes, name)) continue;
      const value = attributes[name];
      if (canonicalJson(value) === canonicalJson(before[name] ?? null)) continue;
      values(entity, [column]).add([entityText(entity), time, name, sqliteValue(value)]);
    }
  };

  return {
    /** Notes an object at the time of an event that names it or tells something of it: what is new of it is a change. */
    note(entity: Entity, time: string | null, attributes: JsonObject): void {
      const object = entityText(entity);
      const columns = columnsOf[entity.kind];
      const isFirst = isNew(object, entity.kind);
      if (isFirst) {
        const first = columns.map(({ name }) => sqliteValue(attributes[name]));
        values(entity, columns).add([object, time, null, ...first]);
      }
      if (Object.keys(attributes).length === 0) return;
      const before = isFirst ? {} : knownOf(object);
      if (!isFirst) change(entity, time, before, attributes);
      putKnown.run([object, JSON.stringify({ ...before, ...attributes })]);
    },
    relate: (event: string, entity: Entity, qualifier: string) =>
      relations.add([event, entityText(entity), qualifier]),
    /** Relates an object to another one. */
    join: (source: Entity, target: Entity, qualifier: string) =>
      joins.add([entityText(source), entityText(target), qualifier]),
    /** Writes what waits. */
    insert(): void {
      for (const rows of rowsOf.values()) rows.insert();
    },
  };
};
