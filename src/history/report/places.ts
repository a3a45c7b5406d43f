import type { Coordinates } from '../../domain/saved-postings.ts';

/** What stands close together: how many, and the middle of their places. */
export interface Cell extends Coordinates {
  readonly count: number;
}

/** Degrees; about seven miles from north to south: small enough to tell the state. */
export const CELL = 0.1;

/** Of a degree: the middle of a cell does not depend on the order of adding. */
const THOUSANDTH = 1_000;

const middle = (sum: number, count: number): number => Math.round((sum / count) * THOUSANDTH) / THOUSANDTH;

/** Counts places by cells of a grid. @param size of a cell, in degrees */
export const beginCells = (size: number) => {
  const cells = new Map<string, Cell>();
  return {
    /** @param place with the count of what is there; 1 where it has none */
    add({ latitude, longitude, count = 1 }: Coordinates & { readonly count?: number }): void {
      const key = `${Math.floor(latitude / size)}/${Math.floor(longitude / size)}`;
      const sum = cells.get(key) ?? { count: 0, latitude: 0, longitude: 0 };
      cells.set(key, {
        count: sum.count + count,
        latitude: sum.latitude + latitude * count,
        longitude: sum.longitude + longitude * count,
      });
    },
    /** Those with most first. */
    all: (): readonly Cell[] =>
      [...cells.values()]
        .map(({ count, latitude, longitude }) => ({
          count,
          latitude: middle(latitude, count),
          longitude: middle(longitude, count),
        }))
        .sort((a, b) => b.count - a.count || b.latitude - a.latitude || a.longitude - b.longitude),
  };
};

/** The same in larger cells. */
export const inLargerCells = (cells: readonly Cell[], size: number): readonly Cell[] => {
  const larger = beginCells(size);
  for (const cell of cells) larger.add(cell);
  return larger.all();
};
