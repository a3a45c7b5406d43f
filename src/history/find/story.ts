import { streamOf } from '../../domain/decider.ts';
import { membersNaming, type Entity } from '../../domain/entity.ts';
import { posting } from '../../domain/posting.ts';
import { byPosition, type RecordedEvent } from '../../event-store/port.ts';
import type { JsonObject } from '../../schema/json.ts';
import type { Mask } from '../moment/mask.ts';
import { changesBetween, type Path } from '../moment/members.ts';
import { isAt, rangeBetween, type Moment } from '../moment/moment.ts';
import type { HistorySource } from '../moment/streams.ts';
import { eventsOfEntity } from './entity-events.ts';
import { foundEvent } from './event.ts';

const idMembers = new Set(Object.values(membersNaming).flat());
const isId = ([name = '', ...rest]: Path): boolean => rest.length === 0 && idMembers.has(name);

/** Closings of a candidate's posting, which close the candidate without naming it. */
const closingsOf = async (
  { log }: HistorySource,
  { kind }: Entity,
  events: readonly RecordedEvent[],
  moment: Moment,
): Promise<readonly RecordedEvent[]> => {
  const postingId = events[0]?.data['postingId'];
  if (kind !== 'candidate' || typeof postingId !== 'string') return [];
  const closings = (await log.readStream(streamOf(posting, postingId))).filter(isAt(moment));
  return closings.filter(({ type }) => type === 'PostingClosed');
};

/**
 * The whole story of an entity up to a moment, in the event log's order: the events of its own streams, those that name
 * it, and the closing of a candidate's posting. In the place of its data each has as `changes` the members that no
 * earlier event of its stream had, or had with another value. A value has one mask, so masks change where values do.
 */
export const storyOf = async (source: HistorySource, entity: Entity, moment: Moment, mask: Mask) => {
  const own = await eventsOfEntity(source, entity, rangeBetween(null, moment));
  const closings = await closingsOf(source, entity, own, moment);
  const events = [...own, ...closings].sort(byPosition);
  /** The members that the events of a stream had last. */
  const known = new Map<string, JsonObject>();
  return events.map((recorded) => {
    const { data, ...event } = foundEvent(recorded, mask);
    const before = known.get(recorded.stream) ?? {};
    const after = { ...before, ...data };
    known.set(recorded.stream, after);
    return { ...event, changes: changesBetween(before, after).filter(({ path }) => !isId(path)) };
  });
};
