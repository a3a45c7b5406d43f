import { Type, type Static } from '../../schema/typebox.ts';
import { analystAccess } from '../../access/access.ts';
import { object, text } from '../../schema/schema.ts';
import { HTML_MEDIA_TYPE } from './headers.ts';
import type { HistoryOperationBase } from './operation.ts';
import { betweenParameters, refuseUnknownTimeZone, timeZoneParameter } from './shapes.ts';

const params = object({});
const parameters = object({
  ...betweenParameters,
  timeZone: timeZoneParameter,
  profession: Type.Optional(
    text(200, { minLength: 1, description: 'Only postings of this profession, like hygienist.' }),
  ),
  state: Type.Optional(text(200, { minLength: 1, description: 'Only postings in this state, like TX.' })),
});
export type ReportParameters = Static<typeof parameters>;

export const makeReport = {
  name: 'makeReport',
  summary: 'Show in pictures what happened between saves and hires: one page of HTML that needs nothing else',
  command: 'report',
  path: '/history/report',
  access: analystAccess,
  refusals: ['not-found'],
  params,
  parameters,
  media: [HTML_MEDIA_TYPE],
  answer: Type.String(),
  check: ({ timeZone }) => refuseUnknownTimeZone(timeZone, 'query/timeZone'),
} as const satisfies HistoryOperationBase<typeof params, typeof parameters> & Record<string, unknown>;
