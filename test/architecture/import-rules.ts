import { dirname } from 'node:path/posix';
import { cyclesOf, importsOf, type Import, type Sources } from './imports.ts';

/** What each room may import, by room. */
export type AllowedImports = ReadonlyMap<string, ReadonlySet<string>>;

/** The one file of `src/` that stands in no folder. */
const LOOSE = 'src/stores.ts';

/** The room of a path: a folder of `src/` or `test/`, all of `commands`, `queries` or `projections`, or one file. */
export const roomOf = (path: string): string => {
  const folder = dirname(path);
  if (folder === 'src') return path;
  return /^(?:src|test)\//.test(folder) ? folder : (folder.split('/')[0] ?? folder);
};

/**
 * Reads `allowed-imports.txt`: a line a room, with a colon before the rooms that it may import. The rooms of the
 * platform come first; those after the empty line may know the business.
 */
export const allowedImportsIn = (text: string): AllowedImports =>
  new Map(
    text
      .trimEnd()
      .split(/\n+/)
      .map((line) => {
        const [room = '', others = ''] = line.split(':');
        return [room, new Set(others.trim().split(', ').filter(Boolean))] as const;
      }),
  );

/** Each import of one room from another, as if rooms were files. */
export const importsOfRooms = (imports: readonly Import[]): Import[] =>
  imports
    .map(({ from, to, isOnlyTypes }) => ({ from: roomOf(from), to: roomOf(to), isOnlyTypes }))
    .filter(({ from, to }) => from !== to);

/** Streams are pure: from the event store they import types alone. */
const isOfTypesAlone = (from: string, to: string) => from === 'src/streams' && to === 'src/event-store';

const breachOf = ({ from, to, isOnlyTypes }: Import, allowed: AllowedImports): string | undefined => {
  const [room, other] = [roomOf(from), roomOf(to)];
  if (room === other) return undefined;
  if (!allowed.get(room)?.has(other)) return `${room} may not import ${other}: ${from} imports ${to}`;
  if (isOfTypesAlone(room, other) && !isOnlyTypes)
    return `${room} may only import types of ${other}: ${from} imports ${to}`;
  return undefined;
};

/** What is allowed and no file needs. */
const needlessIn = (imports: readonly Import[], allowed: AllowedImports): string[] => {
  const needed = new Set(importsOfRooms(imports).map(({ from, to }) => `${from} ${to}`));
  return [...allowed].flatMap(([room, others]) =>
    [...others]
      .filter((other) => !needed.has(`${room} ${other}`))
      .map((other) => `${room} need not be allowed to import ${other}`),
  );
};

/** A line for each import that is not allowed, or allowed in vain, each loose file and each cycle. */
export const breachesIn = (sources: Sources, allowed: AllowedImports): string[] => {
  const imports = importsOf(sources);
  const loose = [...sources.keys()].filter((path) => dirname(path) === 'src' && path !== LOOSE);
  const circles = [...cyclesOf(imports), ...cyclesOf(importsOfRooms(imports))];
  return [
    ...loose.map((path) => `only ${LOOSE} stands in no room: ${path}`),
    ...imports.flatMap((one) => breachOf(one, allowed) ?? []),
    ...needlessIn(imports, allowed),
    ...circles.map((way) => `imports never go in a circle: ${way.join(' -> ')}`),
  ];
};
