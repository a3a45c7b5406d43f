import type { EventDefinition, EventOf, NewEventOf } from './events.ts';

/**
 * The life of one kind of stream: its name, its events and how they fold into the state that decisions are made on.
 * `evolve` is pure: it returns a new state and leaves the old one as it was.
 */
export interface Decider<State, Definitions extends readonly EventDefinition[] = readonly EventDefinition[]> {
  /** The stream of an entity is `<category>-<id>`; the category holds no '-'. */
  readonly category: string;
  readonly events: Definitions;
  readonly initialState: State;
  evolve(state: State, event: EventOf<Definitions[number]>): State;
  /** How many things a state holds, where that grows with its stream; left out where it does not. */
  sizeOf?(state: State): number;
}

export type NewEventsOf<D> =
  D extends Decider<infer _State, infer Definitions> ? NewEventOf<Definitions[number]> : never;

export const streamOf = (decider: { readonly category: string }, id: string): string =>
  `${decider.category}-${id}`;
