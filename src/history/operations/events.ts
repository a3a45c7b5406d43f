import { Type, type Static } from '../../schema/typebox.ts';
import { analystAccess } from '../../access/access.ts';
import { entityKinds, parseEntity } from '../../domain/entity.ts';
import { eventDefinitions } from '../../domain/index.ts';
import { invalid } from '../../errors/domain-error.ts';
import { list, object, text } from '../../schema/schema.ts';
import { HistoryEvent, toHistoryEvent } from '../moment/history-event.ts';
import {
  followEvents,
  collectLastEvents,
  refuseUnknownStreamOrEntity,
  searchEvents,
  type EventFilter,
} from '../moment/search.ts';
import { parseWhere } from '../moment/member-condition.ts';
import { findMomentPair, createMomentFinder, padPosition, logRangeBetween, type LogRange } from '../moment/moment.ts';
import { NDJSON_MEDIA_TYPE } from './headers.ts';
import { defineLinesOperation, type HistoryContext } from './operation.ts';
import { afterParameter, betweenParameters } from './shapes.ts';

/** With the newest first, as many events are in memory at once. */
const MOST_NEWEST = 1_000;
export const MAX_EVENTS = 1_000_000;
export const DEFAULT_EVENTS = 1_000;

const params = object({});
const types: readonly string[] = eventDefinitions.map(({ type }) => type);
const parameters = object({
  type: Type.Optional(
    list(Type.Enum([...types]), 100, { description: 'A type of events; may be given several times: any of them.' }),
  ),
  stream: Type.Optional(text(300, { minLength: 1, description: 'The events of a stream.' })),
  entity: Type.Optional(
    text(200, {
      minLength: 1,
      description: `What concerns one entity, as \`posting:p1\`; kinds are ${entityKinds.join(', ')}.`,
    }),
  ),
  actor: Type.Optional(text(200, { minLength: 1, description: 'What one user, key or service has asked for.' })),
  correlationId: Type.Optional(text(300, { minLength: 1, description: 'What one request has led to.' })),
  where: Type.Optional(
    list(text(500, { minLength: 1 }), 20, {
      description: '`data.<member>=<value>`; may be given several times: all hold.',
    }),
  ),
  ...betweenParameters,
  after: afterParameter,
  newest: Type.Optional(Type.Boolean({ description: `The newest first; at most ${MOST_NEWEST} events then.` })),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_EVENTS,
      default: DEFAULT_EVENTS,
      description: 'So many events at most; not with `follow`.',
    }),
  ),
  follow: Type.Optional(
    Type.Boolean({ description: 'Go on with each event as it is appended, until the caller leaves.' }),
  ),
});
export type EventSearchParameters = Static<typeof parameters>;

/** Which events are meant. @throws DomainError invalid for contradictions, and for conditions that are none */
export const toEventFilter = (
  {
    type,
    stream,
    entity,
    actor,
    correlationId,
    where = [],
    follow,
    newest,
    to,
    upTo,
    limit = 0,
  }: EventSearchParameters,
  isUnmasked: boolean,
): EventFilter => {
  if (follow && (to !== undefined || upTo !== undefined || newest))
    throw invalid('follow has no end: it takes no to, no upTo and no newest');
  if (newest && limit > MOST_NEWEST) throw invalid(`limit must be at most ${MOST_NEWEST} with the newest first`);
  return {
    types: type,
    stream,
    entity: entity === undefined ? undefined : parseEntity(entity, 'query/entity'),
    actor,
    correlationId,
    where: where.map((condition) => parseWhere(condition, isUnmasked)),
  };
};

async function* eventsShown(
  { source, mask }: HistoryContext,
  filter: EventFilter,
  range: LogRange,
  { limit = DEFAULT_EVENTS, newest = false, follow = false }: EventSearchParameters,
  signal: AbortSignal,
): AsyncGenerator<HistoryEvent, void, undefined> {
  const found = searchEvents(source, filter, range, signal);
  const shown = newest ? await collectLastEvents(found, limit) : found;
  let [left, isFound] = [follow ? Infinity : limit, false];
  for await (const event of shown) {
    isFound = true;
    yield toHistoryEvent(event, mask);
    if (--left === 0) return;
  }
  if (!follow) {
    if (!isFound) await refuseUnknownStreamOrEntity(source, filter, range);
    return;
  }
  const { upTo, ...endless } = range;
  for await (const { events } of followEvents(source, filter, { ...endless, after: upTo }, signal))
    for (const event of events) yield toHistoryEvent(event, mask);
}

export const findEvents = defineLinesOperation({
  name: 'findEvents',
  summary: 'Find events by what they are, where they stand and what they hold, oldest first',
  command: 'search',
  path: '/history/events',
  access: analystAccess,
  refusals: ['not-found'],
  params,
  parameters,
  media: [NDJSON_MEDIA_TYPE],
  answer: HistoryEvent,
  check: toEventFilter,
  /** Searches up to `upTo`, after which `follow` goes on. */
  async open({ parameters: asked }, opened, signal) {
    const filter = toEventFilter(asked, !opened.mask.isMasked);
    const { from, to: upTo } = await findMomentPair(createMomentFinder(opened.source.log), asked);
    const between = logRangeBetween(from, upTo);
    const after = padPosition(asked.after ?? between.after, upTo.position);
    const range = { ...between, after: after > between.after ? after : between.after };
    return { upTo, lines: eventsShown(opened, filter, range, asked, signal) };
  },
});
