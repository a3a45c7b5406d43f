import fc from 'fast-check';
import { streamOf } from '../../src/streams/decider.ts';
import type { EventDefinition, NewEventOf } from '../../src/streams/events.ts';
import type { JsonObject } from '../../src/schema/json.ts';
import type { StreamHistory } from '../support/history.ts';

/** Few ids, so that streams meet; two of them are names of members that every object has. */
export const ids = {
  users: ['__proto__', 'user-2', 'user-3'],
  professionals: ['constructor', '__proto__', 'professional-3'],
  offices: ['constructor', 'office-2'],
  postings: ['__proto__', 'constructor', 'posting-3'],
  specialties: ['constructor', 'specialty-2'],
  entries: ['__proto__', 'constructor', 'scaling', 'x-ray'],
} as const;

/** Degrees of latitude on one meridian: about 45, 90, 135, 180 and 270 miles by road from the first. */
export const latitudes = [40, 40.5, 41, 41.5, 42, 43] as const;
export const LONGITUDE = -74;

const START_OF_TIME = Date.parse('2026-03-01T09:00:00.000Z');
/** Streams begin close to each other, and many steps are equal, so that times coincide. */
const beginning = fc.integer({ min: 0, max: 20 }).map((units) => units * 1_000);
const step = fc.constantFrom(0, 1, 1_000, 1_000, 2_000, 5_000);
const actor = fc.constantFrom('user-a', 'user-b', 'key:directory');

const stamp = fc.record({ later: step, who: actor });

interface Category {
  readonly category: string;
  readonly events: readonly EventDefinition[];
}
type NewEvents<D extends Category> = readonly NewEventOf<D['events'][number]>[];

/** Gives the events of one stream ids, versions and times that never go back. */
export const streamArbitrary = <D extends Category>(
  decider: D,
  id: string,
  events: fc.Arbitrary<NewEvents<D>>,
): fc.Arbitrary<StreamHistory> => {
  const stream = streamOf(decider, id);
  const versions = new Map(decider.events.map(({ type, version }) => [type, version]));
  return fc.tuple(events, beginning, fc.array(stamp, { minLength: 1, maxLength: 20 })).map(([list, begins, stamps]) => {
    let at = START_OF_TIME + begins;
    return {
      stream,
      events: list.map(({ type, data }, revision) => {
        const { later, who } = stamps[revision % stamps.length] ?? { later: 0, who: 'user-a' };
        at += later;
        const recordedAt = new Date(at).toISOString();
        const requestId = `${stream}@${revision}`;
        return {
          id: requestId,
          type,
          version: versions.get(type) ?? 1,
          // An event's data is JSON by its schema, which the compiler cannot see through the union.
          data: data as JsonObject,
          metadata: { $correlationId: requestId, $causationId: requestId, actor: who, requestId, recordedAt },
        };
      }),
    };
  });
};

/** The streams of a category, one for each id; leaves out streams without events. */
export const streamsOf = <D extends Category>(
  decider: D,
  of: readonly string[],
  events: (id: string) => fc.Arbitrary<NewEvents<D>>,
): fc.Arbitrary<StreamHistory[]> => fc.tuple(...of.map((id) => streamArbitrary(decider, id, events(id))));

export const orNull = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(arbitrary, { freq: 4 });
