import { importsOf } from './imports.ts';
import { importsOfRooms } from './import-rules.ts';
import { readSources } from './sources.ts';

/** `npm run rooms`: the rooms by floor. A room stands one floor above the highest that it imports. */
const imports = importsOfRooms(importsOf(await readSources()));
const imported = new Map<string, Set<string>>();
for (const { from, to } of imports) {
  imported.set(from, (imported.get(from) ?? new Set()).add(to));
  imported.set(to, imported.get(to) ?? new Set());
}

const floorOf = (room: string): number =>
  1 + Math.max(-1, ...[...(imported.get(room) ?? [])].map((other) => floorOf(other)));

const rooms = [...imported.keys()].toSorted((a, b) => floorOf(b) - floorOf(a) || (a < b ? -1 : 1));
for (const room of rooms)
  console.log(
    `${String(floorOf(room)).padStart(2)}  ${room}: ${[...(imported.get(room) ?? [])].toSorted().join(', ')}`,
  );
