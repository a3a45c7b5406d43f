import { Type } from '../schema/typebox.ts';
import { adminAccess } from '../access/access.ts';
import { daysBefore, RecordedAct } from '../audit/acts.ts';
import { parseTimestamp } from '../schema/timestamp.ts';
import { invalidAt } from '../errors/domain-error.ts';
import { object, PageNumber, text } from '../schema/schema.ts';
import { defineAdminOperation } from './admin-operation.ts';

const USUAL_DAYS = 30;
/** Each day is a stream to read. */
export const MAX_ACT_DAYS = 366;
const PAGE_SIZE = 20;
export const MAX_ACT_PAGE_SIZE = 100;

/** Lists what operators and administrators did, the last act first. */
export const listActsOperation = defineAdminOperation({
  name: 'listActs',
  summary: 'List what operators and administrators did beside the domain, and who',
  method: 'GET',
  path: '/admin/audit',
  access: adminAccess,
  params: object({}),
  parameters: object({
    since: Type.Optional(
      text(40, {
        format: 'date-time',
        description: `RFC 3339; acts asked for since then, at most ${MAX_ACT_DAYS} days ago. Default: ${USUAL_DAYS} days ago.`,
      }),
    ),
    actor: Type.Optional(text(200, { minLength: 1, description: 'The acts of one actor.' })),
    operation: Type.Optional(text(200, { minLength: 1, description: 'The acts of one kind.', examples: ['backup'] })),
    page: Type.Optional(PageNumber),
    pageSize: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_ACT_PAGE_SIZE, default: PAGE_SIZE })),
  }),
  body: object({}),
  status: 200,
  response: object({
    data: Type.Array(RecordedAct),
    page: Type.Integer(),
    pageSize: Type.Integer(),
    total: Type.Integer(),
  }),
  refusals: [],
  async act({ parameters: { since, page = 1, pageSize = PAGE_SIZE, ...filter } }, { acts, now }) {
    const from = since === undefined ? daysBefore(now(), USUAL_DAYS) : parseTimestamp(since, 'query/since');
    if (from < daysBefore(now(), MAX_ACT_DAYS))
      throw invalidAt('query/since', `must be at most ${MAX_ACT_DAYS} days ago`);
    const found = (await acts({ ...filter, since: from })).toReversed();
    const data = found.slice((page - 1) * pageSize, page * pageSize);
    return { data, page, pageSize, total: found.length };
  },
});
