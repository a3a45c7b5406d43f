import type { EventDefinition, EventOf } from './events.ts';

/**
 * One kind of stream: its events and how they fold into the state that commands decide on. `evolve` is pure: it leaves
 * the old state as it was.
 */
export interface Decider<State, Definitions extends readonly EventDefinition[] = readonly EventDefinition[]> {
  /** The stream of an entity is `<category>-<id>`; the category holds no '-'. */
  readonly category: string;
  /** Whether ids of its streams tell of a person: a hash of a number is the same for everybody who has had it. */
  readonly isIdPersonal?: boolean;
  readonly events: Definitions;
  readonly initialState: State;
  evolve(state: State, event: EventOf<Definitions[number]>): State;
  /** How many entries a state holds, if that grows with its stream. */
  sizeOf?(state: State): number;
}

export const streamOf = (decider: { readonly category: string }, id: string): string => `${decider.category}-${id}`;
