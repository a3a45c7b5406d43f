import { DAYS, momentIn, type Part } from './calendar.ts';
import type { Kind, World } from './layout.ts';
import type { PlannedCommand } from './plan-command.ts';

/**
 * One kind of entity of the made-up world: offices, postings and so on. Each has at most one command a day, so that the
 * commands of one part of a day never touch the same stream.
 */
export interface Source {
  readonly kind: Kind;
  readonly part: Part;
  /** The entities are numbered from 0. */
  readonly count: number;
  /** The days on which one of them has a command. */
  daysOf(index: number): readonly number[];
  /** Its command of such a day, at a moment in milliseconds since 1970. */
  commandOn(index: number, day: number, at: number): PlannedCommand;
}

/** The numbers of the entities that have a command on each day: the command itself is made when its day comes. */
export interface Agenda {
  readonly source: Source;
  readonly total: number;
  readonly on: (day: number) => Uint32Array;
}

/** Collects the days of all entities once, so that a day need not ask all of them. */
export const agendaOf = (source: Source): Agenda => {
  const starts = new Uint32Array(DAYS + 1);
  for (let index = 0; index < source.count; index++)
    for (const day of source.daysOf(index)) starts[day + 1] = (starts[day + 1] ?? 0) + 1;
  for (let day = 0; day < DAYS; day++) starts[day + 1] = (starts[day + 1] ?? 0) + (starts[day] ?? 0);

  const total = starts[DAYS] ?? 0;
  const indexes = new Uint32Array(total);
  const next = starts.slice();
  for (let index = 0; index < source.count; index++)
    for (const day of source.daysOf(index)) {
      const place = next[day] ?? 0;
      indexes[place] = index;
      next[day] = place + 1;
    }
  return { source, total, on: (day) => indexes.subarray(starts[day], starts[day + 1]) };
};

/** When an entity's command of a day is carried out. */
export const momentOf = (world: World, { kind, part }: Source, index: number, day: number): number =>
  momentIn(world.now, day, part, world.random(kind, index, MOMENTS + day));

/** Keeps the random numbers of moments apart from those that sources draw. */
const MOMENTS = 10_000;
