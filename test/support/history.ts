import fc from 'fast-check';
import type { EventData, RecordedEvent } from '../../src/event-store/port.ts';
import { compareByCodePoint } from '../../src/lib/compare-by-code-point.ts';
import { candidateStreams } from '../history/candidates.ts';
import { officeStreams, postingStreams, professionalStreams } from '../history/facts.ts';
import { reviewStreams, savedPostingStreams, specialtyStreams, userStreams } from '../history/lists.ts';

/**
 * Histories as an event log could hold them: each stream is one that the deciders would have written, with times that
 * no interleaving changes. The ids are few, so that streams meet.
 */
export interface StreamHistory {
  readonly stream: string;
  readonly events: readonly EventData[];
}
export type History = readonly StreamHistory[];

export const histories: fc.Arbitrary<History> = fc
  .tuple(
    userStreams,
    professionalStreams,
    officeStreams,
    postingStreams,
    candidateStreams,
    savedPostingStreams,
    specialtyStreams,
    reviewStreams,
  )
  .map((streams) => streams.flat().filter(({ events }) => events.length > 0));

/** An event with its place in its stream, but without a position in the event log. */
export type PlacedEvent = Omit<RecordedEvent, 'position'>;

/**
 * Interleaves the streams of a history, keeping each stream's own order.
 *
 * @param choices which of the remaining streams comes next, modulo their number, repeated
 */
export const interleave = (history: History, choices: readonly number[]): PlacedEvent[] => {
  const left = history.map(({ stream, events }) => ({ stream, events, next: 0 }));
  const log: PlacedEvent[] = [];
  for (let turn = 0; left.length > 0; turn++) {
    const index = (choices[turn % Math.max(1, choices.length)] ?? 0) % left.length;
    const chosen = left[index];
    const event = chosen?.events[chosen.next];
    if (!chosen || !event) break;
    log.push({ ...event, stream: chosen.stream, revision: chosen.next });
    chosen.next++;
    if (chosen.next === chosen.events.length) left.splice(index, 1);
  }
  return log;
};

/** The choices of an interleaving. */
export const choices: fc.Arbitrary<number[]> = fc.array(fc.nat({ max: 60 }), { minLength: 1, maxLength: 40 });

/** Ordered by the recorded times, as with a single clock; at equal times in the order of the streams. */
export const inTime = (history: History): PlacedEvent[] =>
  history
    .flatMap(({ stream, events }) => events.map((event, revision) => ({ ...event, stream, revision })))
    .sort((a, b) => compareByCodePoint(timeOf(a), timeOf(b)));

const timeOf = ({ metadata: { recordedAt } }: EventData): string => (typeof recordedAt === 'string' ? recordedAt : '');
