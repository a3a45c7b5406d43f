import { getPostingCandidatesByAdmin } from '../../queries/admin-posting-candidates.ts';
import { getPostingCandidates } from '../../queries/posting-candidates.ts';
import type { FigureGroup } from '../figure.ts';
import { closestTo, type Posting } from '../population.ts';
import { formatNumber } from '../report/format.ts';
import { startService } from '../processes/service.ts';
import { PAGE_SIZE, pageForAdmin, pageForOffice } from '../requests.ts';
import { CONNECTIONS, httpMeasures, underLoad } from './http-measures.ts';

const LAST_PAGE = 10;
const ORDINARY = 50;

/** Every order of both lists. */
const orders = [
  ...getPostingCandidates.parameters.properties.orderBy.enum.flatMap((by) =>
    ['ASC', 'DESC'].map((direction) => ({
      name: `4.2 by ${by} ${direction}`,
      query: `&orderBy=${by}&orderDirection=${direction}`,
      page: pageForOffice,
    })),
  ),
  ...getPostingCandidatesByAdmin.parameters.properties.sortBy.enum.flatMap((by) =>
    ['asc', 'desc'].map((direction) => ({
      name: `4.4 by ${by} ${direction}`,
      query: `&sortBy=${by}&sortOrder=${direction}`,
      page: pageForAdmin,
    })),
  ),
];

export const bigPosting: FigureGroup = {
  name: 'big-posting',
  title: 'A posting with very many candidates',
  about: [
    'The candidates of the largest posting: the first and the tenth page of 15, in every order of both lists (4.2 for offices, 4.4 for administrators).',
    `A target is a share of requests a second. Baseline: the first page, in the same order, of a posting with about ${ORDINARY} candidates.`,
  ],
  measures: httpMeasures,
  isDefault: true,
  async *figures({ settings: { events, shortSeconds }, world, load, keep }) {
    const { directory, population } = await world(events);
    const [big] = population.postings;
    if (!big) throw new Error('The world has no posting');
    const small = closestTo(ORDINARY, population.postings);
    const last = Math.max(1, Math.min(LAST_PAGE, Math.floor(big.candidates / PAGE_SIZE)));
    const { url } = keep(await startService(directory));
    for (const [index, { name, query, page }] of orders.entries()) {
      const pageOf = async (posting: Posting, number: number) => {
        const request = await page(posting, `${query}&page=${number}`);
        return underLoad(`page ${number} of ${formatNumber(posting.candidates, 0)}`, () =>
          load({
            url,
            seconds: shortSeconds,
            connections: CONNECTIONS.reads,
            sources: [{ kind: 'repeated', requests: [request] }],
          }),
        );
      };
      const [first, tenth, ordinary] = [
        await pageOf(big, 1),
        await pageOf(big, last),
        await pageOf(small, 1),
      ];
      yield {
        name,
        contenders: [first, tenth, ordinary],
        targets: [first, tenth].map((one) => ({
          says: `${one.name}, as a share of ${ordinary.name}`,
          measure: 'perSecond',
          of: one.name,
          against: ordinary.name,
          must: { atLeast: 0.5 },
        })),
        // One service answers all of them.
        warmsUp: index === 0,
      };
    }
  },
};
