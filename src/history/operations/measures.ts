import { Type } from '../../schema/typebox.ts';
import { analystAccess } from '../../access/access.ts';
import { readPackageVersion } from '../../lib/package-version.ts';
import { nullable, object, text } from '../../schema/schema.ts';
import { resolveMeasure, cohortPeriods, groupingsOf, measures, statementOfMeasure } from '../warehouse/measures.ts';
import { createAnyObjectSchema } from '../moment/history-event.ts';
import { defineHistoryOperation, type HistoryOperationBase } from './operation.ts';
import { refuseUnknownTimeZone, timeZoneParameter, upToParameter } from './shapes.ts';

/** What a measure is, as the catalogue has it. */
const measureMembers = {
  name: Type.String(),
  meaning: Type.String({ description: 'What its value is, in a sentence.' }),
  unit: Type.Enum(['days', 'count', 'share'], { title: 'MeasureUnit' }),
};
const sql = Type.String({ description: 'The statement that answers it.' });

export const getMeasures = defineHistoryOperation({
  name: 'getMeasures',
  summary: 'List the measures that the warehouse defines, with their meaning',
  command: 'ask',
  path: '/history/measures',
  access: analystAccess,
  params: object({}),
  parameters: object({}),
  answer: object(
    {
      code: Type.String({ description: 'The version of the code.' }),
      measures: Type.Array(
        object(
          {
            ...measureMembers,
            groupings: Type.Array(Type.String(), { description: 'What it can be grouped by.' }),
            sql,
          },
          { title: 'Measure' },
        ),
      ),
    },
    { title: 'Measures' },
  ),
  ask: () =>
    Promise.resolve({
      code: readPackageVersion(),
      measures: measures.map((measure) => ({
        name: measure.name,
        meaning: measure.meaning,
        unit: measure.unit,
        groupings: Object.keys(groupingsOf(measure)),
        sql: statementOfMeasure(measure),
      })),
    }),
});

const params = object({ measure: text(100, { minLength: 1 }) });
const time = (description: string) =>
  Type.Optional(
    text(100, { minLength: 1, description: `${description}: a day, of the time zone, or an RFC 3339 time.` }),
  );
const parameters = object({
  by: Type.Optional(
    text(100, { minLength: 1, description: 'One of its groupings: a row for each office, or what else.' }),
  ),
  cohort: Type.Optional(
    Type.Enum([...cohortPeriods], { title: 'Cohort', description: 'A row for what began in each such time.' }),
  ),
  from: time('What began then or later'),
  to: time('What began before it'),
  timeZone: timeZoneParameter,
  upTo: upToParameter,
});

export const answerMeasure = {
  name: 'answerMeasure',
  summary: 'Answer a measure that the warehouse defines, with its meaning and its SQL',
  command: 'ask',
  path: '/history/measures/:measure',
  access: analystAccess,
  refusals: ['not-found'],
  params,
  parameters,
  answer: object(
    {
      code: Type.String({ description: 'The version of the code.' }),
      ...measureMembers,
      by: nullable(Type.String()),
      cohort: nullable(Type.String()),
      sql,
      position: Type.String({ description: 'Of the last event that was looked at.' }),
      rows: Type.Array(
        createAnyObjectSchema('What it is grouped by, its value under its name, and of how many `rows` that is.'),
      ),
    },
    { title: 'MeasureAnswer' },
  ),
  ofWarehouse({ params: { measure: name }, parameters: { upTo, timeZone, ...options } }) {
    refuseUnknownTimeZone(timeZone, 'query/timeZone');
    const { measure, statement } = resolveMeasure({ name, ...options });
    const { by = null, cohort = null } = options;
    const { meaning, unit } = measure;
    const about = { code: readPackageVersion(), name, meaning, unit, by, cohort, sql: statement };
    return { kind: 'measure', statement, upTo, timeZone, about };
  },
} as const satisfies HistoryOperationBase<typeof params, typeof parameters>;
