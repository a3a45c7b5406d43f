import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { eventDefinitions } from '../../domain/index.ts';

/**
 * The tables of the warehouse that are derived from events, each a SELECT in a file of its own in `tables/`. A comment
 * above it says what a row is, one behind each of its columns what that holds.
 */
interface DerivedTable {
  readonly name: string;
  /** The member of events that its rows are derived by: all events with one value of it. */
  readonly key: EntityIdMember;
  readonly comment: string;
  readonly columns: readonly { readonly name: string; readonly comment: string }[];
  /** Selects its rows; beside each time `…_at` its day in UTC, `…_on`. */
  readonly select: string;
}

export const entityIdMembers = [
  'officeId',
  'postingId',
  'candidateId',
  'professionalId',
  'specialtyId',
  'userId',
] as const;
export type EntityIdMember = (typeof entityIdMembers)[number];

/** By key. One that reads another stands after it. */
const files: Readonly<Record<EntityIdMember, readonly string[]>> = {
  officeId: ['offices'],
  postingId: ['postings', 'saves'],
  candidateId: ['interviews', 'stays', 'applications'],
  professionalId: ['professionals', 'onboarding_stays', 'reviews'],
  specialtyId: ['specialties'],
  userId: ['users'],
};

const textOf = (name: string): string =>
  readFileSync(fileURLToPath(import.meta.resolve(`#warehouse/${name}.sql`)), 'utf8');

/** `  officeId AS office_id, -- the office`: the name that the column has, and its comment. */
const COLUMN = /^ {2}.*?(\w+),? -- (.+)$/;

const derivedTable = (name: string, key: EntityIdMember): DerivedTable => {
  const sql = textOf(name);
  const columns = sql.split('\n').flatMap((line) => {
    const [, column, comment] = COLUMN.exec(line) ?? [];
    if (column === undefined || comment === undefined) return [];
    const day = /^(.*)_at$/.exec(column)?.[1];
    return [
      { name: column, comment },
      ...(day === undefined ? [] : [{ name: `${day}_on`, comment: `the day of ${column} in UTC` }]),
    ];
  });
  return {
    name,
    key,
    comment: /^-- (.*)/.exec(sql)?.[1] ?? '',
    columns,
    select: `SELECT *, CAST(COLUMNS('^(.*)_at$') AT TIME ZONE 'UTC' AS DATE) AS '\\1_on' FROM (\n${sql})`,
  };
};

/** SQL that makes the macro that estimates how long what began lasts. */
export const kaplanMeierMacro: string = textOf('kaplan_meier');

/** All of them; one that reads another stands after it. */
export const derivedTables: readonly DerivedTable[] = entityIdMembers.flatMap((key) =>
  files[key].map((name) => derivedTable(name, key)),
);

/** The types of events that the tables of a key read and that have the key. */
export const typesReadBy = (key: EntityIdMember): readonly string[] => {
  const selects = derivedTables.flatMap((table) => (table.key === key ? [table.select] : [])).join('\n');
  const names = new Set(selects.match(/\w+/g));
  return eventDefinitions.flatMap(({ type, data }) =>
    names.has(type) && Object.hasOwn(data.properties, key) ? [type] : [],
  );
};

/** The column of a derived table that holds its key: `posting_id` of `postingId`. */
export const keyColumnOf = (key: EntityIdMember): string => key.replace('Id', '_id');

/**
 * SELECTs of the hashes of the values of a key whose rows change by events numbered above `after` that do not have the
 * key: an application changes with its posting, and with what the professional has saved.
 */
export const dependentKeysSql = (key: EntityIdMember, after: number): readonly string[] =>
  key === 'candidateId'
    ? [
        ...['PostingRecorded', 'PostingClosed'].map(
          (type) =>
            `SELECT hash(candidateId) FROM CandidateApplied WHERE postingId IN (SELECT postingId FROM ${type} WHERE seq > ${after})`,
        ),
        `SELECT hash(candidateId) FROM CandidateApplied JOIN PostingSaved AS saved USING (professionalId, postingId) WHERE saved.seq > ${after}`,
      ]
    : [];
