import { cyclesOf, importsOf, type Import, type Sources } from './imports.ts';

interface Rule {
  readonly says: string;
  readonly forbids: (path: Import) => boolean;
}

const isUnder =
  (...folders: readonly string[]) =>
  (path: string) =>
    folders.some((folder) => path.startsWith(`${folder}/`));

const isCommand = isUnder('commands');
const isQuery = isUnder('queries');
const isProjection = isUnder('projections');
const isDomain = isUnder('src/domain');
/** What adapters and those who use them agree on. */
const isOfPort = (path: string) => path.endsWith('/port.ts') || path === 'src/read-models/columns.ts';
const isAdapter = (path: string) =>
  isUnder('src/sqlite')(path) || (isUnder('src/event-store', 'src/read-models')(path) && !isOfPort(path));
const mayKnowAdapters = (path: string) =>
  path === 'src/stores.ts' ||
  path === 'src/projector-thread.ts' ||
  isAdapter(path) ||
  isUnder('src/cli')(path);

/** Who may import whom; where nothing else is said, types count as well. */
const rules: readonly Rule[] = [
  {
    says: 'commands never import projections or queries',
    forbids: ({ from, to }) => isCommand(from) && (isProjection(to) || isQuery(to)),
  },
  {
    says: 'queries never import the domain or the event store',
    forbids: ({ from, to }) => isQuery(from) && isUnder('src/domain', 'src/event-store')(to),
  },
  {
    says: 'projections never import commands, queries, HTTP or the event store',
    forbids: ({ from, to }) =>
      isProjection(from) && isUnder('commands', 'queries', 'src/http', 'src/event-store')(to),
  },
  {
    says: 'adapters are known only to src/stores.ts, the projector thread, each other and the CLI',
    forbids: ({ from, to }) => isAdapter(to) && !mayKnowAdapters(from),
  },
  {
    says: 'the domain imports nothing but types from HTTP, ports, read models and the event store',
    forbids: ({ from, to, isOnlyTypes }) =>
      isDomain(from) &&
      !isOnlyTypes &&
      isUnder('src/http', 'src/ports', 'src/read-models', 'src/event-store')(to),
  },
];

/** A line for each import that breaks a rule and for each cycle; none when all is well. */
export const breachesIn = (sources: Sources): string[] => {
  const imports = importsOf(sources);
  const forbidden = rules.flatMap(({ says, forbids }) =>
    imports.filter(forbids).map(({ from, to }) => `${says}: ${from} imports ${to}`),
  );
  const cycles = cyclesOf(imports).map((way) => `imports never go in a circle: ${way.join(' -> ')}`);
  return [...forbidden, ...cycles];
};
