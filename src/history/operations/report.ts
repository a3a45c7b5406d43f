import { Type, type Static } from '../../schema/typebox.ts';
import { analyst } from '../../access/access.ts';
import { momentsBetween, momentsOf } from '../moment/moment.ts';
import { notFound } from '../../errors/domain-error.ts';
import { codeVersion } from '../../lib/code-version.ts';
import { object, text } from '../../schema/schema.ts';
import type { MadeFrom } from '../report/page.ts';
import type { FiguresOptions } from '../report/read-figures.ts';
import type { PostingsFound } from '../report/tally.ts';
import { PAGE } from './headers.ts';
import type { HistoryOperationBase, OpenedHistory } from './operation.ts';
import { betweenParameters } from './shapes.ts';

const params = object({});
const parameters = object({
  ...betweenParameters,
  profession: Type.Optional(
    text(200, { minLength: 1, description: 'Only postings of this profession, like hygienist.' }),
  ),
  state: Type.Optional(text(200, { minLength: 1, description: 'Only postings in this state, like TX.' })),
});
export type ReportAsked = Static<typeof parameters>;

/** @throws DomainError not-found where postings are filtered, none of which is so */
const refuseFilter = (
  { profession, state }: Pick<MadeFrom, 'profession' | 'state'>,
  { professions, states }: PostingsFound,
): void => {
  const asked = [
    ...(profession === undefined ? [] : [`the profession ${profession}`]),
    ...(state === undefined ? [] : [`the state ${state}`]),
  ];
  const [known, places] = [professions, states].map((values) => [...values].sort().join(', ') || 'none');
  if (asked.length > 0)
    throw notFound(
      `No posting is of ${asked.join(' and ')}; there are the professions ${known}, and the states ${places}`,
    );
};

export const makeReport = {
  name: 'makeReport',
  summary: 'Show in pictures what happened between saves and hires: one page of HTML that needs nothing else',
  command: 'report',
  path: '/history/report',
  access: analyst,
  refusals: ['not-found'],
  params,
  parameters,
  media: PAGE,
  answer: Type.String(),
  /** @throws DomainError for moments that there are not, or that are the wrong way round */
  async open(
    { profession, state, ...moments }: ReportAsked,
    opened: OpenedHistory,
    options: FiguresOptions,
  ): Promise<{ readonly made: MadeFrom; readonly page: string }> {
    // Only a report needs what draws it.
    const { reportPage } = await import('../report/page.ts');
    const { readFigures } = await import('../report/read-figures.ts');
    const { from, to } = await momentsBetween(momentsOf(opened.source.log), moments);
    const withPersonalData = !opened.mask.isMasked;
    const asked = { from, to, profession, state, withPersonalData };
    const { figures, leftOut, found } = await readFigures(opened.source.log, asked, options);
    if (!found.isAny) refuseFilter({ profession, state }, found);
    const made = { from, to, code: codeVersion(), profession, state, withPersonalData };
    return { made, page: reportPage(figures, leftOut, made) };
  },
} as const satisfies HistoryOperationBase<typeof params, typeof parameters> & Record<string, unknown>;
