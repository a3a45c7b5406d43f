import { v5 as uuidOf } from 'uuid';
import { streamOf, type Decider } from '../../src/streams/decider.ts';
import type { EventStore } from '../../src/event-store/port.ts';
import type { EventDefinition, NewEventOf } from '../../src/streams/events.ts';
import type { JsonObject } from '../../src/schema/json.ts';
import { times } from './examples.ts';
import { openMemoryEventStore } from './memory-stores.ts';

type Frozen<T> = T extends object ? { readonly [Member in keyof T]: Frozen<T[Member]> } : T;

/** An event, with its stream. */
export interface Fact {
  readonly stream: string;
  readonly type: string;
  readonly version: number;
  readonly data: JsonObject;
  readonly at: string;
  readonly by: string;
}

interface Stamp {
  readonly at?: string;
  readonly by?: string;
}

/** Makes events of a stream; for an event that a command must append, time and actor are the command's own. */
export const on =
  <State, D extends readonly EventDefinition[]>(decider: Decider<State, D>, id: string) =>
  (event: Frozen<NewEventOf<D[number]>>, { at = times.start, by = 'key:back-office' }: Stamp = {}): Fact => {
    // Every event has these two members, which the compiler cannot see through the mapped union.
    const { type, data } = event as { readonly type: string; readonly data: JsonObject };
    const version = decider.events.find((definition) => definition.type === type)?.version ?? 0;
    return { stream: streamOf(decider, id), type, version, data, at, by };
  };

/** A namespace of UUIDs for the events of tests. */
const EVENTS = '5e1f3a52-7a58-4c39-9c39-5b0c6f2c0d11';

/** A store that holds these events, after those that their streams have. Their ids are UUIDs, as servers require. */
export const storeWith = async (facts: readonly Fact[], store = openMemoryEventStore()): Promise<EventStore> => {
  const next = new Map<string, number>();
  for (const { stream, type, version, data, at, by } of facts) {
    const revision = next.get(stream) ?? (await store.readStream(stream)).length;
    next.set(stream, revision + 1);
    const causes = { $correlationId: 'before', $causationId: 'before', requestId: 'before' };
    const event = {
      id: uuidOf(`${stream}@${revision}`, EVENTS),
      type,
      version,
      data,
      metadata: { ...causes, actor: by, recordedAt: at },
    };
    const { kind } = await store.append({ stream, expectedRevision: revision - 1, events: [event] });
    if (kind !== 'appended') throw new Error(`What happened to ${stream} before could not be stored: ${kind}`);
  }
  return store;
};
