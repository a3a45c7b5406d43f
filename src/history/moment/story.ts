import { streamOf } from '../../streams/decider.ts';
import { referenceMembersByKind, type Entity } from '../../domain/entity.ts';
import { postingDecider } from '../../domain/posting.ts';
import { userDecider } from '../../domain/user.ts';
import { byPosition, type RecordedEvent } from '../../event-store/port.ts';
import type { JsonObject } from '../../schema/json.ts';
import type { Mask } from './mask.ts';
import { memberChangesBetween, type MemberPath } from './member-paths.ts';
import { createMomentFilter, logRangeBetween, type Moment } from './moment.ts';
import type { IndexedEventLog } from './indexed-event-log.ts';
import { readEntityEvents } from './entity-events.ts';
import { toHistoryEvent } from './history-event.ts';

const idMembers = new Set(Object.values(referenceMembersByKind).flat());
const isId = ([name = '', ...rest]: MemberPath): boolean => rest.length === 0 && idMembers.has(name);

/** A stream that concerns an entity without naming it, and which of its events do. */
const furtherStream = (
  { kind }: Entity,
  events: readonly RecordedEvent[],
): { readonly stream: string; readonly isMeant: (event: RecordedEvent) => boolean } | undefined => {
  if (kind === 'candidate') {
    const postingId = events[0]?.data['postingId'];
    // The closing of the posting closes its candidates.
    const isMeant = ({ type }: RecordedEvent) => type === 'PostingClosed';
    return typeof postingId === 'string' ? { stream: streamOf(postingDecider, postingId), isMeant } : undefined;
  }
  if (kind !== 'professional') return undefined;
  // The user whom the profile names is the same person.
  const userId = events.findLast(({ type }) => type === 'ProfessionalRecorded')?.data['userId'];
  return typeof userId === 'string' ? { stream: streamOf(userDecider, userId), isMeant: () => true } : undefined;
};

const furtherEvents = async (
  { log }: IndexedEventLog,
  entity: Entity,
  own: readonly RecordedEvent[],
  moment: Moment,
): Promise<readonly RecordedEvent[]> => {
  const further = furtherStream(entity, own);
  if (!further) return [];
  const known = new Set(own.map(({ position }) => position));
  const events = (await log.readStream(further.stream)).filter(createMomentFilter(moment));
  return events.filter((event) => further.isMeant(event) && !known.has(event.position));
};

/**
 * The whole story of an entity up to a moment, in the event log's order: the events of its own streams, those that name
 * it, the closing of a candidate's posting, and the stream of a professional's user. In the place of its data each has
 * as `changes` the members that no earlier event of its stream had, or had with another value. A value has one mask, so
 * masks change where values do.
 */
export const readEntityStory = async (source: IndexedEventLog, entity: Entity, moment: Moment, mask: Mask) => {
  const own = await readEntityEvents(source, entity, logRangeBetween(null, moment));
  const further = await furtherEvents(source, entity, own, moment);
  const events = [...own, ...further].sort(byPosition);
  /** The members that the events of a stream had last. */
  const known = new Map<string, JsonObject>();
  return events.map((recorded) => {
    const { data, ...event } = toHistoryEvent(recorded, mask);
    const before = known.get(recorded.stream) ?? {};
    const after = { ...before, ...data };
    known.set(recorded.stream, after);
    return { ...event, changes: memberChangesBetween(before, after).filter(({ path }) => !isId(path)) };
  });
};
