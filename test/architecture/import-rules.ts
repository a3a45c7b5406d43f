import { dirname } from 'node:path/posix';
import { cyclesOf, importsOf, type Import, type Sources } from './imports.ts';

/** What each room may import, by room. */
export type AllowedImports = ReadonlyMap<string, ReadonlySet<string>>;

const LOOSE: readonly string[] = ['src/app.ts', 'src/stores.ts'];

/** The room of a path: a folder of `src/`, all of `commands`, `queries` or `projections`, or a loose file of `src/`. */
export const roomOf = (path: string): string => {
  const folder = dirname(path);
  if (folder === 'src') return path;
  return folder.startsWith('src/') ? folder : (folder.split('/')[0] ?? folder);
};

const namesIn = (text = ''): string[] => [...text.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);

/** ARCHITECTURE.md names rooms as in `src/`, and those beside it with a slash at the end. */
const toRoom = (name: string): string =>
  /^(?:commands|queries|projections)\/$/.test(name) ? name.slice(0, -1) : `src/${name.replace(/\/$/, '')}`;

/** Reads the list of rooms: an item names a room before its colon, and what it may import at its end. */
export const allowedImportsIn = (architecture: string): AllowedImports => {
  const [, section = ''] = /^## Rooms$([\s\S]*?)^## /m.exec(architecture) ?? [];
  const items = section.split(/^- /m).slice(1);
  return new Map(
    items.flatMap((item) => {
      const [paragraph = ''] = item.split('\n\n', 1);
      const [names] = paragraph.split(':', 1);
      const [, allowed] = /May\s+import\s([\s\S]*)$/.exec(paragraph) ?? [];
      const rooms = new Set(namesIn(allowed).map(toRoom));
      return namesIn(names).map((name) => [toRoom(name), rooms] as const);
    }),
  );
};

/** Each import of one room from another, as if rooms were files. */
export const importsOfRooms = (imports: readonly Import[]): Import[] =>
  imports
    .map(({ from, to, isOnlyTypes }) => ({ from: roomOf(from), to: roomOf(to), isOnlyTypes }))
    .filter(({ from, to }) => from !== to);

/** The domain is pure: from the event store it imports types alone. */
const isOfTypesAlone = (from: string, to: string) => from === 'src/domain' && to === 'src/event-store';

const breachOf = ({ from, to, isOnlyTypes }: Import, allowed: AllowedImports): string | undefined => {
  const [room, other] = [roomOf(from), roomOf(to)];
  if (room === other) return undefined;
  if (!allowed.get(room)?.has(other)) return `${room} may not import ${other}: ${from} imports ${to}`;
  if (isOfTypesAlone(room, other) && !isOnlyTypes)
    return `${room} may only import types of ${other}: ${from} imports ${to}`;
  return undefined;
};

/** What ARCHITECTURE.md allows and no file needs. */
const needlessIn = (imports: readonly Import[], allowed: AllowedImports): string[] => {
  const needed = new Set(importsOfRooms(imports).map(({ from, to }) => `${from} ${to}`));
  return [...allowed].flatMap(([room, others]) =>
    [...others]
      .filter((other) => !needed.has(`${room} ${other}`))
      .map((other) => `ARCHITECTURE.md need not allow ${room} to import ${other}`),
  );
};

/** A line for each import that ARCHITECTURE.md does not allow or allows in vain, each loose file and each cycle. */
export const breachesIn = (sources: Sources, allowed: AllowedImports): string[] => {
  const imports = importsOf(sources);
  const loose = [...sources.keys()].filter((path) => dirname(path) === 'src' && !LOOSE.includes(path));
  const circles = [...cyclesOf(imports), ...cyclesOf(importsOfRooms(imports))];
  return [
    ...loose.map((path) => `only ${LOOSE.join(' and ')} stand in no room: ${path}`),
    ...imports.flatMap((one) => breachOf(one, allowed) ?? []),
    ...needlessIn(imports, allowed),
    ...circles.map((way) => `imports never go in a circle: ${way.join(' -> ')}`),
  ];
};
