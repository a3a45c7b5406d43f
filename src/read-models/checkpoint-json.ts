import { Type } from 'typebox';
import { checker } from '../validation.ts';
import type { Checkpoint } from './port.ts';

const Mark = Type.Union([Type.Object({ position: Type.String(), id: Type.String() }), Type.Null()]);

/** A checkpoint as it is kept. */
const StoredCheckpoint = Type.Object({
  position: Type.String(),
  last: Mark,
  passed: Mark,
  building: Type.Union([
    Type.Object({ upTo: Type.String(), group: Type.Optional(Type.String()) }),
    Type.Null(),
  ]),
  parked: Type.Array(
    Type.Object({
      stream: Type.String(),
      revision: Type.Integer(),
      position: Type.String(),
      event: Type.String(),
      type: Type.String(),
      error: Type.String(),
      stack: Type.String(),
      at: Type.String(),
      release: Type.Integer(),
      underWay: Type.Integer(),
    }),
  ),
  isBuilt: Type.Boolean(),
  isBetween: Type.Boolean(),
});

const check = checker(StoredCheckpoint, 'checkpoint');

/**
 * Undefined where an older version was building in another way: nothing can be gone on with.
 *
 * @throws Error for what this code cannot have written
 */
export const parseCheckpoint = (text: string): Checkpoint | undefined => {
  const checked = check(JSON.parse(text));
  if (!checked.ok) throw new Error(`The read models cannot be read: ${checked.message}`);
  const { building, ...rest } = checked.value;
  if (!building) return { ...rest, building };
  const { upTo, group } = building;
  return group === undefined ? undefined : { ...rest, building: { upTo, group } };
};

/** By the names of projections, the checkpoints of those that have one. */
export const parseCheckpoints = (rows: readonly (readonly [name: string, text: string])[]) => {
  const found = new Map<string, Checkpoint>();
  for (const [name, text] of rows) {
    const checkpoint = parseCheckpoint(text);
    if (checkpoint) found.set(name, checkpoint);
  }
  return found;
};
