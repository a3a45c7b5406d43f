import { createHash } from 'node:crypto';
import { analyst } from '../../access/access.ts';
import { object, text } from '../../schema/schema.ts';
import { CSV, LINES, PARQUET } from './headers.ts';
import type { HistoryOperationBase } from './operation.ts';
import { anyObject } from '../moment/event.ts';
import { refuseOtherZone, timeZone, upTo } from './shapes.ts';

const params = object({});
const parameters = object({});
const body = object({
  statement: text(20_000, {
    minLength: 1,
    description: 'One SELECT, of the tables of the warehouse.',
  }),
  timeZone,
  upTo,
});

const forms = { [LINES]: 'lines', [CSV]: 'csv', [PARQUET]: 'parquet' } as const;

const isForm = (medium: string): medium is keyof typeof forms => Object.hasOwn(forms, medium);

export const runStatement = {
  name: 'runStatement',
  summary: 'Answer a statement of SQL from the warehouse: the event log as tables, masked',
  command: 'sql',
  path: '/history/statements',
  method: 'POST',
  access: analyst,
  params,
  parameters,
  body,
  cost: 50,
  media: [LINES, CSV, PARQUET],
  answer: anyObject('A row: a member for each column.'),
  ofWarehouse({ body: asked, medium = LINES }) {
    refuseOtherZone(asked.timeZone, 'body/timeZone');
    return {
      kind: 'statement',
      statement: asked.statement,
      upTo: asked.upTo,
      timeZone: asked.timeZone,
      form: isForm(medium) ? forms[medium] : 'lines',
    };
  },
  recorded: ({ body: asked }, tables) => ({
    sha256: createHash('sha256').update(asked.statement).digest('hex'),
    tables: [...tables],
  }),
} as const satisfies HistoryOperationBase<typeof params, typeof parameters, typeof body>;
