import { createHash } from 'node:crypto';
import { analystAccess } from '../../access/access.ts';
import { object, text } from '../../schema/schema.ts';
import { CSV_MEDIA_TYPE, NDJSON_MEDIA_TYPE, PARQUET_MEDIA_TYPE } from './headers.ts';
import type { HistoryOperationBase } from './operation.ts';
import { createAnyObjectSchema } from '../moment/history-event.ts';
import { refuseUnknownTimeZone, timeZoneParameter, upToParameter } from './shapes.ts';

const params = object({});
const parameters = object({});
const body = object({
  statement: text(20_000, { minLength: 1, description: 'One SELECT, of the tables of the warehouse.' }),
  timeZone: timeZoneParameter,
  upTo: upToParameter,
});

const forms = { [NDJSON_MEDIA_TYPE]: 'lines', [CSV_MEDIA_TYPE]: 'csv', [PARQUET_MEDIA_TYPE]: 'parquet' } as const;

const isForm = (medium: string): medium is keyof typeof forms => Object.hasOwn(forms, medium);

export const runStatement = {
  name: 'runStatement',
  summary: 'Answer a statement of SQL from the warehouse: the event log as tables, masked',
  command: 'sql',
  path: '/history/statements',
  method: 'POST',
  access: analystAccess,
  params,
  parameters,
  body,
  cost: 50,
  media: [NDJSON_MEDIA_TYPE, CSV_MEDIA_TYPE, PARQUET_MEDIA_TYPE],
  answer: createAnyObjectSchema('A row: a member for each column.'),
  ofWarehouse({ body: { statement, upTo, timeZone }, medium = NDJSON_MEDIA_TYPE }) {
    refuseUnknownTimeZone(timeZone, 'body/timeZone');
    return { kind: 'statement', statement, upTo, timeZone, form: isForm(medium) ? forms[medium] : 'lines' };
  },
  recorded: ({ body: { statement } }, tables) => ({
    sha256: createHash('sha256').update(statement).digest('hex'),
    tables: [...tables],
  }),
} as const satisfies HistoryOperationBase<typeof params, typeof parameters, typeof body>;
