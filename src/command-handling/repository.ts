import type { Decider } from '../domain/decider.ts';
import { streamOf } from '../domain/decider.ts';
import type { EventDefinition, EventOf } from '../domain/events.ts';
import { decoder } from '../domain/decode.ts';
import { NO_STREAM, START, type EventStore, type Position, type Revision } from '../event-store/port.ts';

/** The state of a stream as of its last event. */
export interface Loaded<State> {
  readonly state: State;
  readonly revision: Revision;
  readonly position: Position;
}

export interface Repository {
  readonly load: <State, D extends readonly EventDefinition[]>(
    decider: Decider<State, D>,
    id: string,
  ) => Promise<Loaded<State>>;
  /** The state as it was when it was last loaded or appended to, if that is remembered. Others may have changed it. */
  readonly remembered: <State, D extends readonly EventDefinition[]>(
    decider: Decider<State, D>,
    id: string,
  ) => Loaded<State> | undefined;
  /** Takes the state that an append has led to, so that it need not be read back. */
  readonly appended: <State, D extends readonly EventDefinition[]>(
    decider: Decider<State, D>,
    id: string,
    loaded: Loaded<State>,
  ) => void;
}

/** Of the states that are remembered, each of which counts as one more than it says that it holds. */
const MOST_SIZE = 200_000;
const MOST_STATES = 10_000;

/**
 * Loads states by folding their streams. States are remembered, so that a long stream is folded once; whatever was
 * appended since, here or by another instance, is read from the store every time, so a remembered state is never stale.
 */
export const createRepository = (eventStore: EventStore): Repository => {
  /** The least recently used first. */
  const remembered = new Map<string, { readonly loaded: Loaded<unknown>; readonly size: number }>();
  let total = 0;
  const decoders = new Map<string, (event: Parameters<ReturnType<typeof decoder>>[0]) => unknown>();

  const forget = (stream: string): void => {
    total -= remembered.get(stream)?.size ?? 0;
    remembered.delete(stream);
  };
  const remember = <State, D extends readonly EventDefinition[]>(
    decider: Decider<State, D>,
    stream: string,
    loaded: Loaded<State>,
  ): void => {
    forget(stream);
    const size = 1 + (decider.sizeOf?.(loaded.state) ?? 0);
    remembered.set(stream, { loaded, size });
    total += size;
    for (const oldest of remembered.keys()) {
      if ((remembered.size <= MOST_STATES && total <= MOST_SIZE) || oldest === stream) break;
      forget(oldest);
    }
  };

  /** What is remembered under a stream's name was folded by the decider of that name's category. */
  const recall = <State, D extends readonly EventDefinition[]>(decider: Decider<State, D>, id: string) =>
    remembered.get(streamOf(decider, id))?.loaded as Loaded<State> | undefined;

  return {
    remembered: recall,
    appended: (decider, id, loaded) => remember(decider, streamOf(decider, id), loaded),
    async load<State, D extends readonly EventDefinition[]>(decider: Decider<State, D>, id: string) {
      const stream = streamOf(decider, id);
      let decode = decoders.get(decider.category);
      if (!decode) decoders.set(decider.category, (decode = decoder(decider.events)));

      let loaded = recall(decider, id) ?? {
        state: decider.initialState,
        revision: NO_STREAM,
        position: START,
      };
      for (const event of await eventStore.readStream(stream, loaded.revision + 1)) {
        const known = decode(event) as EventOf<D[number]> | undefined;
        if (!known) throw new Error(`Stream ${stream} holds an event of the unknown type ${event.type}`);
        loaded = {
          state: decider.evolve(loaded.state, known),
          revision: event.revision,
          position: event.position,
        };
      }
      remember(decider, stream, loaded);
      return loaded;
    },
  };
};
