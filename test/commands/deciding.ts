import fc from 'fast-check';
import type { Decider } from '../../src/streams/decider.ts';
import { createDecoder } from '../../src/streams/decode.ts';
import { DomainError } from '../../src/errors/domain-error.ts';
import type { EventDefinition, EventOf, NewEventOf } from '../../src/streams/events.ts';
import type { JsonObject } from '../../src/schema/json.ts';
import { times } from '../support/examples.ts';
import type { StreamHistory } from '../support/history.ts';
import { frozen } from './frozen.ts';

/** A state that a stream can come to, and a command's input there. */
export interface Moment<State, Input> {
  readonly state: State;
  readonly input: Input;
}

/** A decision; `second` repeats it on the state that the first one led to. */
export interface Situation {
  readonly first: readonly unknown[];
  readonly second: () => readonly unknown[];
}

const metadata = {
  $correlationId: 'request-1',
  $causationId: 'request-1',
  requestId: 'request-1',
  actor: 'user-a',
  recordedAt: times.now,
};
const place = { id: 'event-1', stream: 'a-1', revision: 0, position: '1' };

/** The state of a stream; the initial state without a history. */
export const stateOf = <State, D extends readonly EventDefinition[]>(
  decider: Decider<State, D>,
  history: StreamHistory | undefined,
): State => {
  const decode = createDecoder<D[number]>(decider.events);
  const known = (history?.events ?? []).map((event) => decode({ ...event, ...place }));
  return known.reduce<State>((state, event) => (event ? folded(decider, state, event) : state), decider.initialState);
};

const folded = <State, D extends readonly EventDefinition[]>(
  decider: Decider<State, D>,
  state: State,
  event: EventOf<D[number]>,
): State => decider.evolve(frozen(state), frozen(event));

/**
 * The situations of a command in which `decide` does not refuse. Input and state are frozen, since deciders must not
 * change them; each event goes through JSON before it is folded, as a store returns it.
 */
export const decides = <State, D extends readonly EventDefinition[], Input>(
  command: {
    readonly name: string;
    readonly decider: Decider<State, D>;
    decide(state: State, input: Input): readonly NewEventOf<D[number]>[];
  },
  moments: fc.Arbitrary<Moment<State, Input>>,
): { readonly name: string; readonly situations: fc.Arbitrary<Situation> } => {
  const { name, decider } = command;
  const decode = createDecoder<D[number]>(decider.events);
  const readBack = (event: { readonly type: string; readonly data: unknown }) => {
    const version = decider.events.find(({ type }) => type === event.type)?.version ?? 0;
    const data = JSON.parse(JSON.stringify(event.data)) as JsonObject;
    return decode({ ...place, type: event.type, version, data, metadata });
  };
  const situationOf = ({ state, input }: Moment<State, Input>): Situation | undefined => {
    try {
      const first = command.decide(frozen(state), frozen(input));
      const after = first.reduce<State>((before, event) => {
        const known = readBack(event);
        return known ? folded(decider, before, known) : before;
      }, state);
      return { first, second: () => command.decide(frozen(after), frozen(input)) };
    } catch (error) {
      if (error instanceof DomainError) return undefined;
      throw error;
    }
  };
  const situations = moments.map(situationOf).filter((situation) => situation !== undefined);
  return { name, situations };
};
