import type { ParkedStreamRef } from '../read-models/port.ts';
import { object } from '../schema/schema.ts';
import { Type, type Static } from '../schema/typebox.ts';

/** An operator's request for a parked stream: try its poison event again, or skip it. */
export const StreamRelease = object({
  /** Grows with every release of the build. */
  number: Type.Integer(),
  stream: Type.String(),
  /** Of the event at which the stream was parked. */
  revision: Type.Integer(),
  /** The id of that event: in an event log restored from a backup another may stand in its place. */
  event: Type.String(),
  kind: Type.Enum(['retry', 'skip']),
});
export type StreamRelease = Static<typeof StreamRelease>;

/**
 * Whether a release is still to be carried out: its stream is parked at the requested event and was not tried since, or
 * the release was interrupted.
 */
export const isPendingRelease = (
  { stream, event, number }: StreamRelease,
  parked: readonly ParkedStreamRef[],
): boolean =>
  parked.some(
    (each) => each.stream === stream && (each.underWay === number || (each.event === event && each.release < number)),
  );
