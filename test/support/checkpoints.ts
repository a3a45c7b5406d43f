import { START_POSITION, type Position } from '../../src/event-store/port.ts';
import { EMPTY_CHECKPOINT } from '../../src/projector/applier.ts';
import type { Checkpoint } from '../../src/read-models/port.ts';

/** A checkpoint at a position, with the event `event <position>` there. */
export const checkpointAt = (position: Position, more: Partial<Checkpoint> = {}): Checkpoint => ({
  ...EMPTY_CHECKPOINT,
  position,
  last: position === START_POSITION ? null : { position, id: `event ${position}` },
  isBuilt: true,
  ...more,
});
