import { eventDefinitions } from '../../domain/index.ts';
import type { Position } from '../../event-store/port.ts';
import { withheldMembers } from '../moment/mask.ts';
import { shownReadModels, type ShownReadModel } from '../moment/shown.ts';
import { literal, quoted } from './duckdb.ts';
import { columnsOfMembers, type MemberColumn } from './columns.ts';
import { rowSchemaOf } from '../moment/all-rows.ts';

/** The tables of a copy. Any DuckDB of the version can open the file. */
export const COPY_SCHEMA = `
CREATE SCHEMA IF NOT EXISTS copied;
CREATE TABLE IF NOT EXISTS copied.events (
  position       VARCHAR NOT NULL,   -- in the event log; its alphabetical order is the log's
  stream         VARCHAR NOT NULL,
  revision       INTEGER NOT NULL,
  id             VARCHAR NOT NULL,
  type           VARCHAR NOT NULL,
  version        INTEGER NOT NULL,   -- as it was recorded; data is of the newest version
  recorded_at    TIMESTAMP,          -- UTC
  actor          VARCHAR,
  request_id     VARCHAR,
  correlation_id VARCHAR,
  data           JSON                -- null where this code cannot read the event
);
CREATE TABLE IF NOT EXISTS copied.state (position VARCHAR NOT NULL, mark VARCHAR, made_with VARCHAR NOT NULL);
CREATE TABLE IF NOT EXISTS copied.read_models (name VARCHAR NOT NULL, position VARCHAR NOT NULL, row JSON NOT NULL);
CREATE TABLE IF NOT EXISTS copied.made (name VARCHAR NOT NULL, position VARCHAR NOT NULL);
`;

/** The name of a read model in SQL. */
export const sqlNameOf = ({ name }: Pick<ShownReadModel, 'name'>): string => name.replaceAll('-', '_');

/** SQL that parses a column of JSON once, into a struct named `members`. */
const parsedMembers = (columns: readonly MemberColumn[], json: string): string => {
  const structure = JSON.stringify(Object.fromEntries(columns.map(({ name, type }) => [name, type])));
  return `json_transform(${json}, ${literal(structure)}) AS members`;
};

/** SQL that selects the members of that struct. */
const selectedMembers = (columns: readonly MemberColumn[]): readonly string[] =>
  columns.map(({ name }) => `members.${quoted(name)} AS ${quoted(name)}`);

const EVENT_COLUMNS = [
  'position',
  'stream',
  'revision',
  'version',
  'recorded_at',
  'actor',
  'request_id',
  'correlation_id',
] as const;

/**
 * A moment (a position or a time) as a position, in SQL, as if the event log ended at `upto`; as `momentOf` in
 * `src/history/moment/moment.ts` finds it.
 */
const MOMENT = `
CASE WHEN regexp_full_match(CAST(moment AS VARCHAR), '[0-9]+') AND (SELECT position NOT LIKE '%/%' FROM copied.state)
       THEN CASE WHEN length(CAST(moment AS VARCHAR)) <= (SELECT length(position) FROM copied.state)
         THEN lpad(CAST(moment AS VARCHAR), CAST((SELECT length(position) FROM copied.state) AS INTEGER), '0') END
     WHEN regexp_full_match(CAST(moment AS VARCHAR), '[0-9]+/[0-9]+') THEN CAST(moment AS VARCHAR)
     WHEN TRY_CAST(moment AS TIMESTAMPTZ) IS NOT NULL THEN
       (SELECT coalesce(max(position), '0') FROM copied.events
        WHERE position <= upto AND recorded_at <= make_timestamp(epoch_us(TRY_CAST(moment AS TIMESTAMPTZ))))
END`;

const eventView = (
  kind: string,
  { type, data }: (typeof eventDefinitions)[number],
  isMasked: boolean,
): string => {
  const columns = columnsOfMembers(data, isMasked);
  const selected = [...EVENT_COLUMNS, ...selectedMembers(columns)].join(', ');
  const parsed = `${EVENT_COLUMNS.join(', ')}, ${parsedMembers(columns, 'data')}`;
  return `CREATE OR REPLACE ${kind} ${quoted(type)} AS SELECT ${selected} FROM (SELECT ${parsed} FROM events WHERE type = ${literal(type)});`;
};

/** The rows of a read model at a position given in SQL; an error where they are not made. */
const rowsAt = (readModel: ShownReadModel, position: string, isMasked: boolean): string => {
  const name = sqlNameOf(readModel);
  const columns = columnsOfMembers(rowSchemaOf(readModel), isMasked);
  const missing = `error('The rows of ${name} at this moment are not in the copy; a statement of hiring history sql that names it puts them there')`;
  const made = `(SELECT coalesce((SELECT any_value(position) FROM copied.made WHERE name = '${name}' AND position = ${position}), ${missing}))`;
  return `SELECT ${selectedMembers(columns).join(', ')} FROM (SELECT ${parsedMembers(columns, 'row')} FROM copied.read_models WHERE name = '${name}' AND position = ${made})`;
};

/** The members that are withheld from the copy, by the view that has them, as `commute.drive.eta` of `saved_postings`. */
const withheldView = (kind: string, isMasked: boolean): string => {
  const schemas: readonly (readonly [string, unknown])[] = isMasked
    ? [
        ...eventDefinitions.map(({ type, data }) => [type, data] as const),
        ...shownReadModels.map((readModel) => [sqlNameOf(readModel), rowSchemaOf(readModel)] as const),
      ]
    : [];
  const rows = schemas.flatMap(([view, schema]) =>
    withheldMembers(schema).map((member) => `(${literal(view)}, ${literal(member)})`),
  );
  const values = rows.length > 0 ? rows.join(', ') : '(NULL, NULL)';
  return `CREATE OR REPLACE ${kind} withheld AS SELECT * FROM (VALUES ${values}) AS withheld("view", member) WHERE member IS NOT NULL;`;
};

/**
 * The views of a copy.
 *
 * @param upTo shows only what was there at a position, for one connection; left out: all, for all who open the file
 */
export const viewsOf = (isMasked: boolean, upTo?: Position): string => {
  const [kind, macro] = upTo === undefined ? ['VIEW', 'MACRO'] : ['TEMP VIEW', 'TEMP MACRO'];
  const bound = upTo === undefined ? '' : ` WHERE position <= ${literal(upTo)}`;
  const position = upTo === undefined ? '(SELECT position FROM copied.state)' : literal(upTo);
  return [
    `CREATE OR REPLACE ${kind} events AS SELECT * FROM copied.events${bound};`,
    withheldView(kind, isMasked),
    ...eventDefinitions.map((definition) => eventView(kind, definition, isMasked)),
    ...shownReadModels.map(
      (readModel) =>
        `CREATE OR REPLACE ${kind} ${sqlNameOf(readModel)} AS ${rowsAt(readModel, position, isMasked)};`,
    ),
    ...(upTo === undefined ? [`CREATE OR REPLACE MACRO position_within(moment, upto) AS ${MOMENT};`] : []),
    `CREATE OR REPLACE ${macro} position_of(moment) AS position_within(moment, ${position});`,
    ...shownReadModels.map((readModel) => {
      const rows = rowsAt(readModel, '(SELECT position_of(moment))', isMasked);
      return `CREATE OR REPLACE ${macro} ${sqlNameOf(readModel)}_at(moment) AS TABLE ${rows};`;
    }),
  ].join('\n');
};
