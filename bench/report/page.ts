import { markdownTable } from '../../src/tools/docs/markdown.ts';
import type { FigureGroup } from '../figure.ts';
import type { Conditions, GroupResult, Results } from '../results.ts';
import { verdictsOf } from '../targets.ts';
import { lineChart } from './chart.ts';
import { formatBound, formatOutcome, formatRatio, formatRounds } from './format.ts';
import { measuredTable, targetTable, type Table } from './tables.ts';

/** The page, and the files beside it by name. */
export interface Page {
  readonly markdown: string;
  readonly charts: ReadonlyMap<string, string>;
}

const asMarkdown = ({ headings, rows }: Table): string[] => markdownTable(headings, rows);

const machineOf = ({ cores, memoryGiB, platform, node }: Conditions): string =>
  `${cores} cores, ${memoryGiB} GiB, ${platform}, Node.js ${node}`;

const sittingOf = ({ measuredOn, events, rounds }: Conditions): string =>
  `${measuredOn}, ${formatRounds(rounds)}, a world of about ${events.toLocaleString('en-US')} events`;

const introduction = [
  '<!-- Written by `npm run bench -- --docs`. Do not edit. -->',
  '',
  '# Benchmarks',
  '',
  'Each figure is measured beside its baseline in the same run. The contenders take turns in each round, and every other round goes in the reverse order. A cell is the median of the rounds, and in brackets the least and the most. A ratio compares two contenders of the same round; the median is taken of the ratios. Every sample is in `benchmarks/results.json`.',
  '',
];

const ending = [
  '## What is compared',
  '',
  'The service runs as its users run it: `hiring serve`, configured by environment, with its application log at the default level in a file. Its rate limit is one that no load reaches.',
  '',
  'Bare Koa is Koa with `@koa/router`, and `koa-bodyparser` where there is a body. It has no credentials, checks, log, metrics or headers. It says what the framework leaves, not how another service would do.',
  '',
  'The usual stack (`bench/usual/`) is what a team would write by hand for the same requests: Koa with `@koa/router`, `koa-bodyparser`, `koa-helmet`, `koa-pino-logger`, `prom-client`, `rate-limiter-flexible`, `jose` and `ajv`, each set up as its documentation says. It has the keys, the Node flags and a rate limit like the service, and buffers its log as the service does. It reads and writes a copy of the read models through the same SQLite driver, with an index for each order of a list. It does less than the service: no API keys, no history, no read models, no `Consistency-Token`, and only the filters and orders that the loads ask for. It also lacks what makes the service fast: it verifies every token anew, logs all headers, parses the rows of every answer and syncs every command by itself.',
  '',
  'The load, the servers and the contenders share one machine, and the loopback is the only network. So ratios say more about another machine than absolute numbers do. `hiring seed` makes the worlds; they are believable, not real. The operating system has the files in memory. [performance.md](performance.md) says why a target is missed, as far as profiles tell.',
  '',
  '## Again',
  '',
  '```text',
  'npm run bench                        # everything but the soak, as tables',
  'npm run bench -- --only reads        # one group',
  'npm run bench -- --quick             # a small world, short loads: whether all of it still runs',
  'npm run bench -- --only soak --minutes 10',
  'npm run bench -- --docs              # writes this page',
  'BENCH_EVENTSTORE_URL=… BENCH_MONGODB_URL=… npm run bench -- --only servers',
  '```',
  '',
  'Worlds are made once and kept in `.bench/`, or where `BENCH_WORLDS` says. `npm ci` in `bench/peers` installs Emmett; without it Emmett is left out.',
  '',
];

/** Every target that is missed, first of all. */
const summaryOf = ({ groups }: Results): string[] => {
  const verdicts = groups.flatMap(({ figures }) => figures.flatMap(verdictsOf));
  const measured = verdicts.filter(({ must }) => must !== undefined);
  const missed = measured.filter(({ must }) => must?.isMet === false);
  return [
    `Targets: ${verdicts.length}; measured: ${measured.length}; met: ${measured.length - missed.length}; missed: ${missed.length}.`,
    '',
    ...missed.map(
      ({ figure, target, value, must }) =>
        `- ${figure}: ${target.says} is ${formatRatio(value?.median ?? NaN)}, must be ${formatBound(target.must)}: ${formatOutcome(must)}.`,
    ),
    '',
  ];
};

/** Makes the page of what was measured. */
export const makePage = (groups: readonly FigureGroup[], results: Results): Page => {
  const charts = new Map<string, string>();
  const machines = new Set(results.groups.map(({ conditions }) => machineOf(conditions)));
  const image = (name: string, words: string, svg: string | undefined): string[] => {
    if (svg === undefined) return [];
    charts.set(name, `${svg}\n`);
    return [`![${words}](benchmarks/${name})`, ''];
  };
  const section = (group: FigureGroup, result: GroupResult): string[] => [
    `## ${group.title}`,
    '',
    ...group.about.flatMap((paragraph) => [paragraph, '']),
    `Measured: ${sittingOf(result.conditions)}${machines.size > 1 ? `; ${machineOf(result.conditions)}` : ''}.`,
    '',
    ...asMarkdown(measuredTable(group, result)),
    ...asMarkdown(targetTable(result)),
    ...result.figures.flatMap((figure, index) =>
      image(`${group.name}-${index + 1}.svg`, `${figure.name}, over time`, lineChart(figure)),
    ),
  ];
  const sections = groups.flatMap((group) => {
    const result = results.groups.find(({ name }) => name === group.name);
    return result ? section(group, result) : [];
  });
  const machine = machines.size === 1 ? [`All of it was measured on ${[...machines].join('')}.`, ''] : [];
  return { markdown: [...introduction, ...machine, ...summaryOf(results), ...sections, ...ending].join('\n'), charts };
};
