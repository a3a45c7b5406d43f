import { table } from '../../src/tools/docs/markdown.ts';
import type { FigureGroup } from '../figure.ts';
import type { Conditions, GroupResult, Results } from '../results.ts';
import { verdictsOf } from '../targets.ts';
import { lineChart, targetChart } from './chart.ts';
import { formatBound, formatOutcome, formatRatio, formatRounds } from './format.ts';
import { measuredTable, targetTable, type Table } from './tables.ts';

/** The page, and the files beside it by name. */
export interface Page {
  readonly markdown: string;
  readonly charts: ReadonlyMap<string, string>;
}

const asMarkdown = ({ headings, rows }: Table): string[] => table(headings, rows);

const conditionsOf = ({ measuredOn, events, rounds, cores, memoryGiB, platform, node }: Conditions): string =>
  `Measured on ${measuredOn} in ${formatRounds(rounds)}, with a world of about ${events.toLocaleString('en-US')} events, ` +
  `on ${cores} cores, ${memoryGiB} GiB, ${platform}, Node.js ${node}.`;

const introduction = [
  '<!-- Written by `npm run bench -- --docs`. Do not edit. -->',
  '',
  '# Benchmarks',
  '',
  'Every figure is measured beside its baseline in the same run: in each round the contenders take turns, and the order is reversed in every other round. A cell is the median of the rounds, and in brackets the least and the most. A ratio is that of two contenders in the same round; the median is taken of the ratios.',
  '',
];

const ending = [
  '## What it is and is not',
  '',
  'The service is started as its users start it: `hiring serve`, configured by environment, the log at its default level and written to a file, with a rate limit that no load reaches. Bare Koa is Koa with `@koa/router` (and `koa-bodyparser` where there is a body) as their own documentation sets them up: no credentials, no checks, no log, no metrics, no headers of its own. It says what is left of the framework, not how another service would do.',
  '',
  'The usual stack (`bench/usual/`) is what a team would write by hand for the same requests: Koa with `@koa/router`, `koa-bodyparser`, `koa-helmet`, `koa-pino-logger`, `prom-client`, `rate-limiter-flexible`, `jose` and `ajv`, each as its own documentation sets it up. It has the keys, the flags of Node and a rate limit like those of the service, and writes its log to a file some lines at a time, as the service does. It reads and writes a copy of the read models through the same SQLite driver, with an index for each list in its order.',
  '',
  'It does less than the service: it checks no API keys, knows only the filters and orders that the loads ask for, keeps no history and no read models (what it saves is one row), and waits for no `Consistency-Token`. It leaves out what the service does to be fast: it verifies every token anew, logs the headers of every request and answer, reads and parses the rows of every answer, and syncs every command by itself.',
  '',
  'Load, servers and everything else share one machine and its cores, so absolute numbers say little about another machine; ratios say more. The load (autocannon in a process of its own; a steady rate by `bench/load/paced.ts`) takes its share of the cores beside the service and beside the baseline alike. There is no network in between but the loopback. Worlds are made by `hiring seed`; they are believable, not real. The files that are read are in the memory of the operating system.',
  '',
  'Where a target is missed, the table says by how much, and [performance.md](performance.md) what holds it back as far as profiles tell. A target that was not measured says so.',
  '',
  '## Again',
  '',
  '```text',
  'npm run bench                        # everything but the soak, as tables',
  'npm run bench -- --only reads        # one group',
  'npm run bench -- --quick             # a small world, short loads: whether all of it still runs',
  'npm run bench -- --only soak --minutes 10',
  'npm run bench -- --docs              # writes this page',
  '```',
  '',
  'Worlds are made once and kept in `.bench/`, or where `BENCH_WORLDS` says. `npm ci` in `bench/peers` installs Emmett, which is left out otherwise.',
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
        `- ${figure}: ${target.says} is ${formatRatio(value?.median ?? NaN)}; it must be ${formatBound(target.must)}: ${formatOutcome(must)}.`,
    ),
    '',
  ];
};

/** Makes the page of what was measured. */
export const makePage = (groups: readonly FigureGroup[], results: Results): Page => {
  const charts = new Map<string, string>();
  const image = (name: string, words: string, svg: string | undefined): string[] => {
    if (svg === undefined) return [];
    charts.set(name, `${svg}\n`);
    return [`![${words}](benchmarks/${name})`, ''];
  };
  const section = (group: FigureGroup, result: GroupResult): string[] => [
    `## ${group.title}`,
    '',
    ...group.about.flatMap((paragraph) => [paragraph, '']),
    conditionsOf(result.conditions),
    '',
    ...asMarkdown(measuredTable(group, result)),
    ...asMarkdown(targetTable(result)),
    ...image(`${group.name}.svg`, `${group.title}: targets`, targetChart(group.title, result)),
    ...result.figures.flatMap((figure, index) =>
      image(`${group.name}-${index + 1}.svg`, `${figure.name}, over time`, lineChart(figure)),
    ),
  ];
  const sections = groups.flatMap((group) => {
    const result = results.groups.find(({ name }) => name === group.name);
    return result ? section(group, result) : [];
  });
  return { markdown: [...introduction, ...summaryOf(results), ...sections, ...ending].join('\n'), charts };
};
