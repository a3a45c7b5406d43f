import { BARE_KOA, SERVICE, USUAL, type FigureGroup, type Target } from '../figure.ts';
import { startBareReads } from '../processes/bare-koa.ts';
import { startService } from '../processes/service.ts';
import { refuseOtherAnswers, startUsual } from '../processes/usual.ts';
import { formatNumber } from '../report/format.ts';
import { readOperations, withEtags } from '../requests.ts';
import { CONNECTIONS, httpMeasures, underLoad } from './http-measures.ts';

const A_TENTH = `${SERVICE}, a tenth of the data`;
const NOT_MODIFIED = `${SERVICE}, not modified`;

const targets: readonly Target[] = [
  {
    says: 'requests a second, as a share of bare Koa',
    measure: 'perSecond',
    of: SERVICE,
    against: BARE_KOA,
    must: { atLeast: 0.3 },
    aim: { atLeast: 0.4 },
  },
  {
    says: 'requests a second that are answered with 304, as a share of bare Koa',
    measure: 'perSecond',
    of: NOT_MODIFIED,
    against: BARE_KOA,
    must: { atLeast: 0.6 },
  },
  {
    says: 'requests a second, as a multiple of the usual stack',
    measure: 'perSecond',
    of: SERVICE,
    against: USUAL,
    must: { atLeast: 1.5 },
  },
  { says: "p99, as a multiple of bare Koa's", measure: 'p99', of: SERVICE, against: BARE_KOA, must: { atMost: 5 } },
  {
    says: 'requests a second, as a share of those with a tenth of the data',
    measure: 'perSecond',
    of: SERVICE,
    against: A_TENTH,
    must: { atLeast: 0.8 },
  },
];

export const reads: FigureGroup = {
  name: 'reads',
  title: 'Reads',
  about: [
    `Four lists over HTTP, pages of 15, on ${CONNECTIONS.reads} connections. Each sends the next request as soon as the last one is answered. A load takes turns with up to 200 requests, for as many postings or professionals. The postings have 15 to 150 candidates, the professionals 3 saved postings or candidates each, so answers are about as long in both worlds.`,
    `"${NOT_MODIFIED}" gets the same requests with the ETags of its answers in \`If-None-Match\`, and answers 304. Nothing is written meanwhile, so after the first time every answer is a cached one.`,
    'Baselines: a bare Koa route that answers the same requests with the same bodies from memory; and the [usual stack](#what-is-compared), which answers by SQL over the same rows in a copy of the same file. The benchmark first checks that its answers have the same values. The load has a process of its own.',
  ],
  measures: httpMeasures,
  isDefault: true,
  async *figures({ settings: { events, seconds }, world, load, scratch, keep }) {
    const [large, small] = [await world(events), await world(Math.round(events / 10))];
    const usual = keep(await startUsual(large.directory, await scratch()));
    const service = keep(await startService(large.directory));
    const smaller = keep(await startService(small.directory));
    for (const { name, route, requestsIn } of readOperations) {
      const [requests, fewer] = [await requestsIn(large.population), await requestsIn(small.population)];
      const bare = keep(await startBareReads(route, service.url, requests));
      await refuseOtherAnswers(service.url, usual.url, requests);
      const known = await withEtags(service.url, requests);
      const under = (contender: string, url: string, list: typeof requests, status = 200) =>
        underLoad(contender, () =>
          load({
            url,
            seconds,
            connections: CONNECTIONS.reads,
            sources: [{ kind: 'repeated', requests: list }],
            status,
          }),
        );
      yield {
        name: `${name}, ${formatNumber(large.population.candidates, 0)} candidates`,
        contenders: [
          under(SERVICE, service.url, requests),
          under(NOT_MODIFIED, service.url, known, 304),
          under(A_TENTH, smaller.url, fewer),
          under(BARE_KOA, bare.url, requests),
          under(USUAL, usual.url, requests),
        ],
        targets,
        warmsUp: true,
      };
    }
  },
};
