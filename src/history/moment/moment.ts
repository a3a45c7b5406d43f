import { parseDayOrTimestamp } from '../../schema/timestamp.ts';
import { nullable, object, Timestamp } from '../../schema/schema.ts';
import { Type, type Static } from '../../schema/typebox.ts';
import { invalid, invalidAt, notFound } from '../../errors/domain-error.ts';
import { recordedAtOf } from '../../event-store/identity.ts';
import { serviceRecordAt } from '../../event-store/own-record.ts';
import {
  START_POSITION,
  type EventLog,
  type Position,
  type RecordedEvent,
  type Revision,
} from '../../event-store/port.ts';

/**
 * A moment of the event log means some of its events: those up to a position; where it was given as a time, of each
 * stream those recorded at or before it. So the order in which instances with different clocks appended does not
 * matter, and the time and the position together mean the same events for ever.
 */
export const Moment = object(
  {
    /** The time; null where the moment was given as a position. */
    at: nullable(Timestamp),
    /** START_POSITION before the first event. */
    position: Type.String({ description: 'Of the last event that was looked at.' }),
    /** When that event was recorded; null before the first event. */
    recordedAt: nullable(Timestamp),
  },
  { title: 'Moment' },
);
export type Moment = Static<typeof Moment>;

/** The part of a moment that says which events it means. */
export type MomentCutoff = Pick<Moment, 'at' | 'position'>;

/** A part of the event log, such as the difference of two moments. */
export interface LogRange {
  /** Not in the range itself. */
  readonly after: Position;
  readonly upTo: Position;
  /** Of each stream, events recorded after the one time, and at or before the other; null or left out: at any. */
  readonly recordedAfter?: string | null;
  readonly recordedBy?: string | null;
}

/** One that may have no end. */
export type OpenLogRange = Omit<LogRange, 'upTo'> & Partial<Pick<LogRange, 'upTo'>>;

/** The events between two moments. @param from null: the beginning of the event log */
export const logRangeBetween = (from: MomentCutoff | null, to: MomentCutoff): LogRange => ({
  after: from?.at === null ? from.position : START_POSITION,
  upTo: to.position,
  recordedAfter: from?.at ?? null,
  recordedBy: to.at,
});

type TimedEvent = Pick<RecordedEvent, 'stream' | 'revision' | 'position' | 'metadata'>;

/** Whether an event, and all before it in its stream, were recorded at or before a time. */
const isRecordedBy = (time: string): ((event: TimedEvent) => boolean) => {
  /** The first event of a stream that was recorded later: in logs of earlier code, times of a stream may go back. */
  const ends = new Map<string, Revision>();
  return ({ stream, revision, metadata: { recordedAt } }) => {
    if (revision >= (ends.get(stream) ?? Infinity)) return false;
    if (typeof recordedAt !== 'string' || recordedAt <= time) return true;
    ends.set(stream, revision);
    return false;
  };
};

/** Whether events are in a range. It has state: call it for each event of a stream, in order, as times may go back. */
export const createRangeFilter = ({
  after,
  upTo,
  recordedAfter = null,
  recordedBy = null,
}: OpenLogRange): ((event: TimedEvent) => boolean) => {
  const isEarly = recordedAfter === null ? () => false : isRecordedBy(recordedAfter);
  const isInTime = recordedBy === null ? () => true : isRecordedBy(recordedBy);
  return (event) =>
    !isEarly(event) && isInTime(event) && event.position > after && (upTo === undefined || event.position <= upTo);
};

/** Whether events are among those that a moment means; as `createRangeFilter`. */
export const createMomentFilter = (moment: MomentCutoff): ((event: TimedEvent) => boolean) =>
  createRangeFilter(logRangeBetween(null, moment));

type ParsedMoment =
  | { readonly kind: 'position'; readonly position: Position }
  /** RFC 3339, UTC, milliseconds. */
  | { readonly kind: 'time'; readonly time: string };

export const MOMENT_HELP = 'a position, a day in UTC or an RFC 3339 time with its zone';

export const UP_TO_HELP = 'a position: as if the event log ended there; by default now';

/** Reads a moment as analysts write it; a day means its first moment in UTC. @throws DomainError invalid */
export const parseMoment = (text: string, place = 'The moment'): ParsedMoment => {
  if (/^\d{1,40}(?:\/\d{1,40})?$/.test(text)) return { kind: 'position', position: text };
  try {
    return { kind: 'time', time: parseDayOrTimestamp(text, place) };
  } catch {
    throw invalidAt(place, `must be ${MOMENT_HELP}, like 2026-03-01 or 2026-03-01T09:30:00Z`);
  }
};

export type MomentLog = Pick<EventLog, 'head' | 'recordAt' | 'readStream'>;

/**
 * A position as it is stored: all have one width, and an analyst need not type the zeros before a number.
 *
 * @param end another position of the same event log
 */
export const padPosition = (position: string, end: Position): Position => {
  if (Number(position) === 0) return START_POSITION;
  return /^\d+$/.test(position) && /^\d+$/.test(end) ? position.padStart(end.length, '0') : position;
};

/** A moment as it is asked for. */
export interface MomentRequest {
  /** As `parseMoment` reads it; undefined: the end. */
  readonly at?: string | undefined;
  /** A position: as if the event log ended there; undefined: now. */
  readonly upTo?: string | undefined;
}

/** Finds a moment. @param place where it is asked for, to tell in a refusal. @throws DomainError or CliError */
export type FindMoment = (request: MomentRequest, place?: string) => Promise<Moment>;

/**
 * Finds moments of an event log.
 *
 * @throws DomainError invalid for a text that names none, for a position at which no event of this service stands, and
 *   for one after `upTo`
 */
export const createMomentFinder =
  (log: MomentLog): FindMoment =>
  async ({ at: text, upTo }, place) => {
    const parsed = text === undefined ? undefined : parseMoment(text, place);
    const head = await log.head();
    const end = padPosition(upTo ?? head, head);
    const position = parsed?.kind === 'position' ? padPosition(parsed.position, head) : end;
    if (position > end && position <= head) throw notFound(`${position} comes after ${end}`);
    const at = parsed?.kind === 'time' ? parsed.time : null;
    if (position === START_POSITION) return { at, position, recordedAt: null };
    const record = await serviceRecordAt(log, position);
    if (!record) throw invalid(`No event stands at the position ${position}`);
    const [event] = await log.readStream(record.stream, record.revision);
    return { at, position, recordedAt: recordedAtOf(event) ?? null };
  };

/** Two moments as they are asked for. */
export interface MomentPairRequest extends Pick<MomentRequest, 'upTo'> {
  /** Undefined: the beginning of the event log. */
  readonly from?: string | undefined;
  /** Undefined: the end. */
  readonly to?: string | undefined;
}

/**
 * Finds two moments, between which events are read. Of the earlier one only events count that the later one has, too.
 *
 * @throws DomainError for one that there is not, and where they are the wrong way round
 */
export const findMomentPair = async (
  find: FindMoment,
  { from: earlier, to: later, upTo }: MomentPairRequest,
): Promise<{ readonly from: Moment | null; readonly to: Moment }> => {
  const to = await find({ at: later, upTo }, 'query/to');
  if (earlier === undefined) return { from: null, to };
  const from = await find({ at: earlier, upTo: to.position }, 'query/from');
  const time = from.at ?? from.recordedAt;
  if (to.at !== null && time !== null && time > to.at)
    throw notFound(`${from.at ?? from.position} comes after ${to.at}`);
  return { from, to };
};

/** A moment in words. */
export const momentText = ({ at, position, recordedAt }: Moment): string => {
  if (at !== null) return `${at} (the log up to ${position})`;
  return recordedAt === null ? `position ${position}` : `position ${position} (${recordedAt})`;
};
