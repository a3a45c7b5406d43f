import { streamOf, type Decider } from '../streams/decider.ts';
import type { EventDefinition, EventOf } from '../streams/events.ts';
import { createDecoder } from '../streams/decode.ts';
import { NO_STREAM, START_POSITION, type EventLog, type Position, type Revision } from '../event-store/port.ts';
import { createBoundedCache } from '../lib/bounded-cache.ts';

/** The state of a stream as of its last event. */
export interface StreamState<State> {
  readonly state: State;
  readonly revision: Revision;
  readonly position: Position;
  /** The latest time at which one of its events was recorded; '' before the first. */
  readonly recordedAt: string;
}

/**
 * Bounds the summed sizes of cached states: 1 each, plus the decider's `sizeOf`. None counts less than 20, so that they
 * are 10,000 at most.
 */
const MAX_SIZE = 200_000;
const MIN_SIZE = 20;

/**
 * Loads states by folding streams. Cached states save folding long streams again; a load still reads the events that
 * any instance has appended since, so it is never stale.
 */
export const createRepository = (eventLog: Pick<EventLog, 'readStream'>) => {
  const cached = createBoundedCache<StreamState<unknown>>(MAX_SIZE);
  const decoders = new Map<string, (event: Parameters<ReturnType<typeof createDecoder>>[0]) => unknown>();

  const remember = <State, D extends readonly EventDefinition[]>(
    decider: Decider<State, D>,
    id: string,
    loaded: StreamState<State>,
  ): void => {
    // A state that is larger than all may be is cached alone.
    const size = Math.min(Math.max(MIN_SIZE, 1 + (decider.sizeOf?.(loaded.state) ?? 0)), MAX_SIZE);
    cached.set(streamOf(decider, id), loaded, { size });
  };

  /** The cast holds, since a stream's name determines its decider. */
  const recall = <State, D extends readonly EventDefinition[]>(decider: Decider<State, D>, id: string) =>
    cached.get(streamOf(decider, id)) as StreamState<State> | undefined;

  return {
    /** The state as last loaded or appended here; other instances may have appended since. */
    cached: recall,
    /** Caches the state after an append, so that it is not read back. */
    appended: remember,
    load: async <State, D extends readonly EventDefinition[]>(
      decider: Decider<State, D>,
      id: string,
    ): Promise<StreamState<State>> => {
      const stream = streamOf(decider, id);
      let decode = decoders.get(decider.category);
      if (!decode) decoders.set(decider.category, (decode = createDecoder(decider.events)));

      let loaded = recall(decider, id) ?? {
        state: decider.initialState,
        revision: NO_STREAM,
        position: START_POSITION,
        recordedAt: '',
      };
      for (const event of await eventLog.readStream(stream, loaded.revision + 1)) {
        const known = decode(event) as EventOf<D[number]> | undefined;
        if (!known) throw new Error(`Stream ${stream} holds an event of the unknown type ${event.type}`);
        const { recordedAt } = known.metadata;
        loaded = {
          state: decider.evolve(loaded.state, known),
          revision: event.revision,
          position: event.position,
          recordedAt: recordedAt > loaded.recordedAt ? recordedAt : loaded.recordedAt,
        };
      }
      remember(decider, id, loaded);
      return loaded;
    },
  };
};
export type Repository = ReturnType<typeof createRepository>;
