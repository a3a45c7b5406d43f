import type { Decider } from '../../src/streams/decider.ts';
import type { NewEventOf } from '../../src/streams/events.ts';

/** The events of a kind of stream, as commands give them. */
export type NewEventsOf<D> =
  D extends Decider<infer _State, infer Definitions> ? NewEventOf<Definitions[number]> : never;
