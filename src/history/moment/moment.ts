import { dayOrInstant } from '../../domain/instant.ts';
import { invalid, invalidAt } from '../../errors/domain-error.ts';
import { ownRecordAt } from '../../event-store/own-record.ts';
import { START, type EventLog, type Position } from '../../event-store/port.ts';

/** A moment of the event log: after an event, before the next one. */
export interface Moment {
  /** Of that event; START before the first one. */
  readonly position: Position;
  /** When it was recorded: RFC 3339, UTC, milliseconds; null before the first event. */
  readonly recordedAt: string | null;
}

export type MomentAsked =
  | { readonly kind: 'position'; readonly position: Position }
  /** RFC 3339, UTC, milliseconds. */
  | { readonly kind: 'time'; readonly time: string };

export const MOMENT = 'a position, a day in UTC or an RFC 3339 time with its zone';

/** Reads a moment as analysts write it; a day means its first moment in UTC. @throws DomainError invalid */
export const parseMoment = (text: string, place = 'The moment'): MomentAsked => {
  if (/^\d{1,40}(?:\/\d{1,40})?$/.test(text)) return { kind: 'position', position: text };
  try {
    return { kind: 'time', time: dayOrInstant(text, place) };
  } catch {
    throw invalidAt(place, `must be ${MOMENT}, like 2026-03-01 or 2026-03-01T09:30:00Z`);
  }
};

export type MomentLog = Pick<EventLog, 'head' | 'lastAt' | 'recordAt' | 'readStream'>;

/**
 * A position as it is stored: all have one width, and an analyst need not type the zeros before a number.
 *
 * @param end another position of the same event log
 */
export const positionInFull = (position: string, end: Position): Position =>
  /^\d+$/.test(position) && /^\d+$/.test(end) ? position.padStart(end.length, '0') : position;

const positionAsked = async (log: MomentLog, asked: MomentAsked): Promise<Position> => {
  if (asked.kind === 'time') return log.lastAt(asked.time);
  return Number(asked.position) === 0 ? START : positionInFull(asked.position, await log.head());
};

/**
 * Finds the moment that a text names, as `parseMoment` reads it. A time means the last event, in the event log's order,
 * that was recorded at or before it: what machines with different clocks recorded later, but appended earlier, is
 * included.
 *
 * @param text undefined: now
 * @throws DomainError invalid for a text that names none, and for a position at which no event of this service stands
 */
export const momentOf = async (log: MomentLog, text?: string, place?: string): Promise<Moment> => {
  const position = text === undefined ? await log.head() : await positionAsked(log, parseMoment(text, place));
  if (position === START) return { position, recordedAt: null };
  const record = await ownRecordAt(log, position);
  if (!record) throw invalid(`No event stands at the position ${position}`);
  const [event] = await log.readStream(record.stream, record.revision);
  const at = event?.metadata['recordedAt'];
  return { position, recordedAt: typeof at === 'string' ? at : null };
};

/** @throws DomainError invalid where the first moment comes after the second */
export const refuseWrongOrder = (from: Moment, to: Moment): void => {
  if (from.position > to.position) throw invalid(`${from.position} comes after ${to.position}`);
};
