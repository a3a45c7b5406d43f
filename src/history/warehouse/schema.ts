import { eventDefinitions } from '../../domain/index.ts';
import { withheldMembers } from '../moment/mask.ts';
import type { MomentCutoff } from '../moment/moment.ts';
import { historyReadModels, type HistoryReadModel } from '../moment/history-read-models.ts';
import { rowSchemaOf } from '../moment/all-rows.ts';
import { columnsOfMembers, type MemberColumn } from './member-columns.ts';
import { literal, quotedIdentifier, timeTextSql } from './duckdb.ts';
import { measures, statementOfMeasure } from './measures.ts';
import { derivedTables, kaplanMeierMacro } from './derived-tables.ts';

/** The columns of `events`: their types, and what they hold. */
const eventColumns = {
  seq: ['BIGINT NOT NULL', 'grows with the event log, from 1 on'],
  position: ['VARCHAR NOT NULL', "in the event log; its alphabetical order is the log's"],
  stream: ['VARCHAR NOT NULL', 'the stream that it is in'],
  revision: ['INTEGER NOT NULL', 'in the stream, from 0 on'],
  id: ['VARCHAR NOT NULL', 'of the event'],
  type: ['VARCHAR NOT NULL', 'a table of this name has its data'],
  version: ['INTEGER NOT NULL', 'as it was recorded; data is of the newest version'],
  recorded_at: ['TIMESTAMPTZ', 'when it was recorded; never before an earlier event of its stream'],
  actor: ['VARCHAR', 'who caused it'],
  request_id: ['VARCHAR', 'the request that caused it'],
  correlation_id: ['VARCHAR', 'what it is a part of'],
  data: ['JSON', 'null where this code cannot read the event'],
} as const;
const RECORDED_ON = "CAST(recorded_at AT TIME ZONE 'UTC' AS DATE)";

/** Those that the table of one type has too, before the members of its data. */
const sharedColumns = Object.keys(eventColumns).filter((name) => !['id', 'type', 'data'].includes(name));
/** The id of an event in the table of its type: members of its data name other ids. */
const EVENT_ID = 'event_id';

/** The name of a read model in SQL. */
export const readModelSqlName = ({ name }: Pick<HistoryReadModel, 'name'>): string => name.replaceAll('-', '_');

/** Times have a zone in the warehouse. */
const sqlTypeOf = ({ type }: MemberColumn): string => (type === 'TIMESTAMP' ? 'TIMESTAMPTZ' : type);

/** SQL that parses a column of JSON once, into a struct named `members`. */
const parsedMembers = (columns: readonly MemberColumn[], json: string): string => {
  const structure = JSON.stringify(Object.fromEntries(columns.map((column) => [column.name, sqlTypeOf(column)])));
  return `json_transform(${json}, ${literal(structure)}) AS members`;
};

/** SQL that selects the members of that struct. */
const selectedMembers = (columns: readonly MemberColumn[]): readonly string[] =>
  columns.map(({ name }) => `members.${quotedIdentifier(name)} AS ${quotedIdentifier(name)}`);

/**
 * What rows as of a moment (a position or a time) are stored under, in SQL, as if the event log ended at `upto`: the
 * position; of a time that of the last event recorded by then, and the time, which mean the same events up to whatever
 * later position the moment is asked for.
 */
const MOMENT = `
CASE WHEN regexp_full_match(CAST(moment AS VARCHAR), '[0-9]+') AND (SELECT position NOT LIKE '%/%' FROM internal.state)
       THEN CASE WHEN length(CAST(moment AS VARCHAR)) <= (SELECT length(position) FROM internal.state)
         THEN lpad(CAST(moment AS VARCHAR), CAST((SELECT length(position) FROM internal.state) AS INTEGER), '0') END
     WHEN regexp_full_match(CAST(moment AS VARCHAR), '[0-9]+/[0-9]+') THEN CAST(moment AS VARCHAR)
     WHEN TRY_CAST(moment AS TIMESTAMPTZ) IS NOT NULL THEN
       (SELECT coalesce(max(position), '0') FROM events
        WHERE position <= upto AND recorded_at <= TRY_CAST(moment AS TIMESTAMPTZ))
       || '@' || ${timeTextSql('TRY_CAST(moment AS TIMESTAMPTZ)')}
END`;

type Definition = (typeof eventDefinitions)[number];

/** SQL that selects the rows of the table of a type of events. @param where a condition on `events` */
export const rowsOfTypeSql = ({ type, data }: Definition, isMasked: boolean, where = 'true'): string => {
  const columns = columnsOfMembers(data, isMasked);
  const shared = sharedColumns.join(', ');
  return `SELECT ${[shared, `id AS ${EVENT_ID}`, `${RECORDED_ON} AS recorded_on`, ...selectedMembers(columns)].join(', ')}
    FROM (SELECT ${shared}, id, ${parsedMembers(columns, 'data')} FROM events
      WHERE type = ${literal(type)} AND data IS NOT NULL AND ${where})`;
};

/** The name of the attached database that has rows of read models. */
export const SCRATCH_DATABASE = 'scratch';

/** SQL that makes an empty scratch file. */
export const scratchSchemaSql = [
  'CREATE SCHEMA internal',
  'CREATE TABLE internal.made_with (digest VARCHAR NOT NULL)',
  'CREATE TABLE internal.read_model_rows (name VARCHAR NOT NULL, as_of VARCHAR NOT NULL, row JSON NOT NULL)',
  'CREATE TABLE internal.materialized (name VARCHAR NOT NULL, as_of VARCHAR NOT NULL)',
].join(';\n');

/** The rows of a read model as of a moment, whose key is given in SQL; an error where they are not materialized. */
const rowsAt = (readModel: HistoryReadModel, key: string, isMasked: boolean): string => {
  const name = readModelSqlName(readModel);
  const columns = columnsOfMembers(rowSchemaOf(readModel), isMasked);
  const from = (table: string) => `FROM ${SCRATCH_DATABASE}.internal.${table} WHERE name = '${name}' AND as_of =`;
  const missing = `error('The rows of ${name} at this moment are not materialized; a statement of hiring history sql that names it does that')`;
  const asOf = `(SELECT coalesce((SELECT any_value(as_of) ${from('materialized')} ${key}), ${missing}))`;
  return `SELECT ${selectedMembers(columns).join(', ')} FROM (SELECT ${parsedMembers(columns, 'row')} ${from('read_model_rows')} ${asOf})`;
};

/** The members that are withheld, by the table that has them, as `commute.drive.eta` of `saved_postings`. */
const withheld = (isMasked: boolean): string => {
  const schemas: readonly (readonly [string, unknown])[] = isMasked
    ? [
        ...eventDefinitions.map(({ type, data }) => [type, data] as const),
        ...historyReadModels.map((readModel) => [readModelSqlName(readModel), rowSchemaOf(readModel)] as const),
      ]
    : [];
  const rows = schemas.flatMap(([table, schema]) =>
    withheldMembers(schema).map((member) => `(${literal(table)}, ${literal(member)})`),
  );
  const values = rows.length > 0 ? rows.join(', ') : '(NULL, NULL)';
  return `SELECT * FROM (VALUES ${values}) AS withheld("view", member) WHERE member IS NOT NULL`;
};

/** Whether a read model is a view of its name: of `specialties` there is a table. */
export const hasView = (readModel: HistoryReadModel): boolean =>
  !derivedTables.some(({ name }) => name === readModelSqlName(readModel));

/** The names of all that a statement can read, in schemas `internal` too. */
export const tableNames: readonly string[] = [
  'events',
  ...eventDefinitions.map(({ type }) => type),
  ...derivedTables.map(({ name }) => name),
  ...historyReadModels.map(readModelSqlName).flatMap((name) => [name, `${name}_at`]),
  'withheld',
  'measures',
  'state',
  'made_with',
  'read_model_rows',
  'materialized',
];

/** SQL that shows a connection the read models as of a position and, by macros, of any moment up to it. */
export const readModelViewsSql = (isMasked: boolean, position: string): string =>
  [
    `CREATE TEMP MACRO moment_of(moment) AS moment_within(moment, ${literal(position)})`,
    ...historyReadModels.flatMap((readModel) => {
      const name = readModelSqlName(readModel);
      return [
        ...(hasView(readModel)
          ? [`CREATE TEMP VIEW ${name} AS ${rowsAt(readModel, literal(position), isMasked)}`]
          : []),
        `CREATE TEMP MACRO ${name}_at(moment) AS TABLE ${rowsAt(readModel, '(SELECT moment_of(moment))', isMasked)}`,
      ];
    }),
  ].join(';\n');

const commentOn = (what: string, text: string): string => `COMMENT ON ${what} IS ${literal(text)}`;

const columnComments = (table: string, names: readonly string[]): readonly string[] => [
  ...Object.entries(eventColumns).flatMap(([name, [, text]]) =>
    names.includes(name) ? [commentOn(`COLUMN ${table}.${name}`, text)] : [],
  ),
  commentOn(`COLUMN ${table}.recorded_on`, 'the day of recorded_at in UTC'),
];

/** SQL that makes an empty warehouse: its tables, each column with a comment. Any DuckDB of the version can open it. */
export const warehouseSchemaSql = (isMasked: boolean): string =>
  [
    'CREATE SCHEMA internal',
    `CREATE TABLE internal.state (id VARCHAR NOT NULL, position VARCHAR NOT NULL, mark VARCHAR, seq BIGINT NOT NULL, derived_seq BIGINT NOT NULL, made_with VARCHAR NOT NULL)`,
    `CREATE TABLE events (${Object.entries(eventColumns)
      .map(([name, [type]]) => `${name} ${type}`)
      .join(', ')}, recorded_on DATE AS (${RECORDED_ON}))`,
    commentOn('TABLE events', 'An event, in the order of the event log.'),
    ...columnComments('events', Object.keys(eventColumns)),
    ...eventDefinitions.flatMap((definition) => [
      `CREATE TABLE ${quotedIdentifier(definition.type)} AS ${rowsOfTypeSql(definition, isMasked)}`,
      commentOn(`TABLE ${quotedIdentifier(definition.type)}`, definition.summary),
      ...columnComments(quotedIdentifier(definition.type), sharedColumns),
      commentOn(`COLUMN ${quotedIdentifier(definition.type)}.${EVENT_ID}`, 'id in events'),
    ]),
    ...derivedTables.flatMap(({ name, comment, columns, select }) => [
      `CREATE TABLE ${name} AS ${select}`,
      commentOn(`TABLE ${name}`, comment),
      ...columns.map((column) => commentOn(`COLUMN ${name}.${column.name}`, column.comment)),
    ]),
    `CREATE TABLE withheld AS ${withheld(isMasked)}`,
    'CREATE TABLE measures (name VARCHAR, meaning VARCHAR, unit VARCHAR, sql VARCHAR)',
    ...measures.map(
      (measure) =>
        `INSERT INTO measures VALUES (${[measure.name, measure.meaning, measure.unit, statementOfMeasure(measure)].map(literal).join(', ')})`,
    ),
    kaplanMeierMacro,
    'CREATE MACRO last_recorded_at() AS (SELECT max(recorded_at) FROM events)',
    `CREATE MACRO moment_within(moment, upto) AS ${MOMENT}`,
  ].join(';\n');

/** The name of the file's database, by which its own tables are named beside views of the same names. */
export const WAREHOUSE_CATALOG = 'warehouse';

/** The events that a connection shows. */
interface ShownEvents extends MomentCutoff {
  /** Left out: of all types. */
  readonly types?: readonly string[] | undefined;
}

/**
 * A condition on events: those recorded by a time. What has no time was recorded before any. @param at null: any time
 */
export const recordedByCondition = (at: string | null): string =>
  at === null ? 'true' : `coalesce(recorded_at <= TIMESTAMPTZ ${literal(at)}, true)`;

const eventViews = ({ position, at, types }: ShownEvents): readonly string[] => {
  const view = (table: string, condition: string) =>
    `CREATE TEMP VIEW ${quotedIdentifier(table)} AS SELECT * FROM ${WAREHOUSE_CATALOG}.main.${quotedIdentifier(table)} WHERE ${condition}`;
  const until = `position <= ${literal(position)} AND ${recordedByCondition(at)}`;
  return [
    view('events', types ? `${until} AND type IN (${types.map(literal).join(', ')})` : until),
    ...eventDefinitions.map(({ type }) => view(type, (types?.includes(type) ?? true) ? until : 'false')),
  ];
};

/**
 * SQL that shows only some events, for one connection, and what follows from them by the same statements.
 *
 * @param kind tables are for many statements: what follows from the events is stored
 */
export const filteredEventViewsSql = (shown: ShownEvents, kind: 'VIEW' | 'TABLE'): string =>
  [...eventViews(shown), ...derivedTables.map(({ name, select }) => `CREATE TEMP ${kind} ${name} AS ${select}`)].join(
    ';\n',
  );
