import { Type } from 'typebox';
import { checker } from '../schema/validation.ts';
import type { Checkpoint } from './port.ts';

const Mark = Type.Union([Type.Object({ position: Type.String(), id: Type.String() }), Type.Null()]);

const StoredCheckpoint = Type.Object({
  position: Type.String(),
  last: Mark,
  passed: Mark,
  building: Type.Union([
    Type.Object({ upTo: Type.String(), group: Type.Union([Type.String(), Type.Null()]) }),
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

/** @throws Error for a text that this code cannot have written */
export const parseCheckpoint = (text: string): Checkpoint => {
  const checked = check(JSON.parse(text));
  if (!checked.ok) throw new Error(`The read models cannot be read: ${checked.message}`);
  return checked.value;
};
