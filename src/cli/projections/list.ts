import { setTimeout as delay } from 'node:timers/promises';
import { refuseUnusableStores } from '../../stores.ts';
import { oneLine } from '../../lib/escape-invisible.ts';
import { CliError, oneLineReason } from '../parts/cli-error.ts';
import { loadExistingLogConfig } from '../parts/event-file.ts';
import { findStartVerdict, type StartVerdict } from '../parts/known-log.ts';
import { clearScreen, print, printJson } from '../parts/print.ts';
import { readServiceState, fetchServiceReadiness } from '../parts/running-service.ts';
import { tableLines, type Screen } from '../parts/table.ts';
import type { Terminal } from '../parts/terminal.ts';
import { listedBuilds, readBuilds, type ListedBuild } from './listed-builds.ts';
import { fetchProjectionList } from './service-projections.ts';
import { troublesIn } from './troubles.ts';
import type { ProjectionsCommandOptions } from './with-projections.ts';

/** `isForeign`: made from another event log, so that its state says nothing of this one. */
type ShownBuild = ListedBuild & { readonly isForeign?: boolean };

/** The state in words for people: `built` and `verified` are under way. */
const stateText = ({ build, state, pausedSince, progress, isForeign }: ShownBuild): string => {
  if (build === null) return 'not built';
  if (isForeign) return 'of another log';
  const isBuilding = state === 'built' || progress !== null;
  const word = state === 'built' ? 'building' : state === 'verified' ? 'comparing' : state;
  const text = state === 'live' && isBuilding ? 'live, building' : word;
  return pausedSince === null ? text : `${text}, paused`;
};

const progressText = ({ progress }: ListedBuild): string => {
  if (progress === null) return '';
  const { events, of, perSecond, secondsLeft: left } = progress;
  const percent = of === 0 ? 0 : Math.floor((100 * events) / of);
  return `${percent} %, ${perSecond}/s, ${left === null ? '?' : `${left} s`} left`;
};

type Column = readonly [heading: string, cell: (line: ShownBuild) => string, isNumber?: true];

/** A table of builds; it names the process that keeps one up to date where any process is known. */
export const buildsTable = (lines: readonly ShownBuild[], screen: Screen): readonly string[] => {
  const columns: Column[] = [
    ['build', ({ projection, version, build }) => build ?? `${projection}@${version}`],
    ['state', stateText],
    ['position', ({ position }) => position ?? '-'],
    ['lag', ({ lagEvents, isForeign }) => (isForeign ? '-' : String(lagEvents ?? '?')), true],
    ['parked', ({ quarantined }) => String(quarantined.length), true],
  ];
  if (lines.some(({ progress }) => progress)) columns.push(['progress', progressText]);
  if (lines.some(({ holder }) => holder))
    columns.push(['kept by, since', ({ holder, since }) => (holder === null ? '' : `${holder}, ${since ?? ''}`)]);
  const table = {
    headings: columns.map(([heading]) => heading),
    rows: lines.map((line) => columns.map(([, cell]) => cell(line))),
    rightAligned: columns.flatMap(([, , isNumber], at) => (isNumber ? [at] : [])),
  };
  return tableLines(table, screen);
};

export interface ListOptions extends Pick<ProjectionsCommandOptions, 'from'> {
  readonly json?: true;
  readonly watch?: true;
}

const POLL_MS = 1_000;

type Config = Parameters<typeof findStartVerdict>[0];

/** How long the first event is looked for: events of other services may stand before it. */
const EXAMINED_MS = 5_000;
const NOT_EXAMINED: StartVerdict = { warnings: [], isForeign: () => false };

interface Listing {
  readonly builds: readonly ShownBuild[];
  /** What a start would say of the event log. */
  readonly warnings: readonly string[];
  /** CliError or LogRefusedError, where a table of builds does not show all that is wrong. */
  readonly failure: Error | undefined;
}

const readListing = async (config: Config): Promise<Listing> => {
  const [builds, { warnings, refusal, isForeign }] = await Promise.all([
    readBuilds(config.stores),
    Promise.race([findStartVerdict(config), delay(EXAMINED_MS, NOT_EXAMINED, { ref: false })]),
  ]);
  const isUnknown = builds.some(({ lagEvents }) => lagEvents === null);
  return {
    builds: builds.map((each) => (each.build !== null && isForeign(each.build) ? { ...each, isForeign: true } : each)),
    warnings,
    failure: isUnknown
      ? new CliError('The event log has not answered in time: how far builds are behind it is not known')
      : refusal,
  };
};

/** The builds, and what needs an operator. */
const linesFor = ({ builds, warnings }: Listing, screen: Screen): readonly string[] => {
  const troubles = troublesIn(builds).map(({ text, help }) => `${oneLine(text)}; ${help}`);
  const notes = [...warnings, ...troubles];
  return ['', ...buildsTable(builds, screen), ...(notes.length > 0 ? ['', ...notes] : [])];
};

/** Where a list comes from. */
interface ListSource {
  /** How the service is, in a line. */
  service(): Promise<string>;
  read(): Promise<Listing>;
}

const sourceOfStores = async (terminal: Terminal): Promise<ListSource> => {
  const config = loadExistingLogConfig(terminal);
  await refuseUnusableStores(config.stores);
  return {
    async service() {
      const { text, isWell } = await readServiceState(terminal, config.stores);
      return `service: ${text}${isWell ? '' : '; hiring doctor says what helps'}`;
    },
    read: () => readListing(config),
  };
};

const sourceOfService = (terminal: Terminal, url: string): ListSource => ({
  service: async () => `service: at ${url} ${(await fetchServiceReadiness(url))?.text ?? 'DOES NOT ANSWER'}`,
  async read() {
    const { data } = await fetchProjectionList(terminal, url);
    return { builds: listedBuilds(data, null), warnings: [], failure: undefined };
  },
});

/** Shows the builds again and again, in the same place of a terminal, until a signal. */
const watchList = async (terminal: Terminal, source: ListSource): Promise<void> => {
  const ended = new AbortController();
  void terminal.nextSignal().then(() => ended.abort());
  const look = async (): Promise<readonly string[]> => {
    const listing = await source.read();
    const { failure } = listing;
    return [...linesFor(listing, terminal.stdout), ...(failure ? ['', oneLineReason(failure)] : [])];
  };
  while (!ended.signal.aborted) {
    // A server may be away for a while, or a file.
    const lines = await look().catch((error: unknown) => ['', oneLineReason(error)]);
    const service = await source.service();
    clearScreen(terminal.stdout);
    print(terminal.stdout, [service, ...lines, '', `as of ${new Date().toISOString()}`]);
    await delay(POLL_MS, undefined, { signal: ended.signal }).catch(() => undefined);
  }
};

/** `hiring projections list`: whether a service runs, and where every build of every projection stands. */
export const printProjectionList = async (terminal: Terminal, { json, watch, from }: ListOptions): Promise<void> => {
  const url = from?.service;
  const source = url === undefined ? await sourceOfStores(terminal) : sourceOfService(terminal, url);
  if (watch) return watchList(terminal, source);
  if (!json) print(terminal.stdout, await source.service());
  const listing = await source.read();
  const { builds, warnings, failure } = listing;
  if (json) {
    printJson(terminal.stdout, builds, 2);
    for (const line of warnings) print(terminal.stderr, `hiring: ${line}`);
  } else print(terminal.stdout, linesFor(listing, terminal.stdout));
  if (failure) throw failure;
};
