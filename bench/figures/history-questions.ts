import { Type } from '../../src/schema/typebox.ts';
import { parse } from '../../src/schema/parse.ts';
import type { World } from '../context.ts';
import { headersFor } from '../credentials.ts';
import type { Contender, Figure, Target } from '../figure.ts';
import { closestTo, type Posting } from '../population.ts';
import { formatNumber } from '../report/format.ts';

/** The candidates of a posting that is not out of the ordinary. */
const ORDINARY = 50;
const Rows = Type.Object({ rows: Type.Array(Type.Object({ id: Type.String() })) });

/** Questions about one posting, asked over HTTP one after the other. */
export const questionsAbout = async function* (
  { population: { events, postings } }: World,
  url: string,
): AsyncGenerator<Figure, void, undefined> {
  const headers = await headersFor({ sub: 'bench-analyst', roles: ['analyst'] });
  const ask = async (path: string): Promise<string> => {
    const response = await fetch(url + path, { headers });
    const text = await response.text();
    if (response.status !== 200) throw new Error(`GET ${path} was answered with ${response.status}: ${text}`);
    return text;
  };
  const asking = (name: string, path: string): Contender => ({
    name,
    async measure() {
      const started = performance.now();
      await ask(path);
      return { milliseconds: performance.now() - started };
    },
  });
  /** @param toFind what finding its events may take, @param toMake what a read model may; milliseconds */
  const figure = async ({ id, candidates }: Posting, toFind: number, toMake: number): Promise<Figure> => {
    const rows = `/history/read-models/posting-candidates/${id}`;
    const [row] = parse(Rows, JSON.parse(await ask(rows)), 'rows').rows;
    if (!row) throw new Error(`The posting ${id} has no candidates`);
    const half = String(Math.round(events / 2));
    const explain = `/history/read-models/posting-candidates/rows/${row.id}/explanation`;
    const finding = [
      asking('show', `/history/entities/posting/${id}`),
      asking('search by entity', `/history/events?entity=posting:${id}&limit=1000000`),
    ];
    const making = [
      asking('at', `${rows}?at=${half}`),
      asking('diff', `${rows}/difference?from=${half}`),
      asking('explain', explain),
    ];
    const within =
      (atMost: number) =>
      ({ name }: Contender): Target => ({
        says: `${name}, ms`,
        measure: 'milliseconds',
        of: name,
        must: { atMost },
      });
    return {
      name: `${formatNumber(events, 0)} events, a posting of ${formatNumber(candidates, 0)} candidates`,
      contenders: [...finding, ...making],
      targets: [...finding.map(within(toFind)), ...making.map(within(toMake))],
      warmsUp: true,
    };
  };
  const [big] = postings;
  if (!big) throw new Error('The world has no posting');
  yield await figure(closestTo(ORDINARY, postings), 200, 300);
  yield await figure(big, 2_000, 2_000);
};
