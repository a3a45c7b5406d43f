import type { Coordinates } from '../../domain/saved-postings.ts';

/** What stands close together: how many, and the middle of their places. */
export interface MapCell extends Coordinates {
  readonly count: number;
}

/** Of a degree: the middle of a cell does not depend on the order of adding. */
const THOUSANDTH = 1_000;

const middle = (sum: number, count: number): number => Math.round((sum / count) * THOUSANDTH) / THOUSANDTH;

/** Adds up what lies in the same cell of a grid; cells with most first. @param size of a cell, in degrees */
export const mergeIntoLargerCells = (cells: readonly MapCell[], size: number): readonly MapCell[] => {
  const larger = new Map<string, MapCell>();
  for (const { latitude, longitude, count } of cells) {
    const key = `${Math.floor(latitude / size)}/${Math.floor(longitude / size)}`;
    const sum = larger.get(key) ?? { count: 0, latitude: 0, longitude: 0 };
    larger.set(key, {
      count: sum.count + count,
      latitude: sum.latitude + latitude * count,
      longitude: sum.longitude + longitude * count,
    });
  }
  return [...larger.values()]
    .map(({ count, latitude, longitude }) => ({
      count,
      latitude: middle(latitude, count),
      longitude: middle(longitude, count),
    }))
    .sort((a, b) => b.count - a.count || b.latitude - a.latitude || a.longitude - b.longitude);
};
