import { isDeepStrictEqual } from 'node:util';
import type { EventLog, Position, RecordedEvent } from './port.ts';
import { readLogRejectingForeign } from './read-log.ts';

/** A log that is compared up to a position. */
interface LogUpTo {
  readonly log: Pick<EventLog, 'subscribe' | 'readStream'>;
  readonly end: Position;
}

export type StreamRevision = Pick<RecordedEvent, 'stream' | 'revision'>;

export type LogDifference =
  /** A stream of the target is not the beginning of the source's. */
  | { readonly kind: 'content'; readonly stream: string }
  /** The streams may be the same, but not the order between them. */
  | {
      readonly kind: 'order';
      /** Counted from 1, over all streams. */
      readonly number: number;
      readonly inSource: StreamRevision;
      readonly inTarget: StreamRevision;
    };

export interface LogContentComparison {
  /** Events and streams of the source. */
  readonly events: number;
  readonly streams: number;
  /** Events of the target that are the source's, at the same places. */
  readonly same: number;
  /** The first difference; undefined where the target is the beginning of the source. */
  readonly difference: LogDifference | undefined;
  /** The first event that the target lacks. */
  readonly missing: StreamRevision | undefined;
}

/** Positions are left out: each store has its own. */
const areSame = (one: RecordedEvent, other: RecordedEvent): boolean =>
  isDeepStrictEqual({ ...one, position: '' }, { ...other, position: '' });

const refOf = ({ stream, revision }: RecordedEvent): StreamRevision => ({ stream, revision });

/** Gives the next events of a log, fewer at its end. */
const takeFrom = (batches: AsyncIterator<readonly RecordedEvent[], void>) => {
  let rest: readonly RecordedEvent[] = [];
  return async (count: number): Promise<readonly RecordedEvent[]> => {
    while (rest.length < count) {
      const { done, value } = await batches.next();
      if (done) break;
      rest = [...rest, ...value];
    }
    const taken = rest.slice(0, count);
    rest = rest.slice(count);
    return taken;
  };
};

/** What a pair of events that differ tells: an event of the source may stand at another place in the target. */
const differenceOf = async (
  source: LogUpTo['log'],
  number: number,
  inSource: RecordedEvent,
  inTarget: RecordedEvent,
): Promise<LogDifference> => {
  const { stream, revision } = inTarget;
  const [original] = await source.readStream(stream, revision);
  return original && areSame(original, inTarget)
    ? { kind: 'order', number, inSource: refOf(inSource), inTarget: refOf(inTarget) }
    : { kind: 'content', stream };
};

/**
 * Reads two logs side by side: whether the target is the beginning of the source, event by event. The source is read to
 * its end in any case.
 *
 * @param onEvent called for each event of the source
 * @throws ForeignEventError for an event that this service cannot have written
 */
export const compareLogPrefix = async (
  source: LogUpTo,
  target: LogUpTo,
  onEvent: () => void,
): Promise<LogContentComparison> => {
  const batches = readLogRejectingForeign(target.log, target.end);
  const take = takeFrom(batches);
  const streams = new Set<string>();
  let [events, same] = [0, 0];
  let difference: LogDifference | undefined;
  let missing: StreamRevision | undefined;
  try {
    for await (const batch of readLogRejectingForeign(source.log, source.end)) {
      const there = difference || missing ? [] : await take(batch.length);
      for (const [index, event] of batch.entries()) {
        events++;
        streams.add(event.stream);
        onEvent();
        if (difference || missing) continue;
        const inTarget = there[index];
        if (!inTarget) missing = refOf(event);
        else if (areSame(event, inTarget)) same++;
        else difference = await differenceOf(source.log, events, event, inTarget);
      }
    }
    const [more] = difference || missing ? [] : await take(1);
    if (more) difference = { kind: 'content', stream: more.stream };
    return { events, streams: streams.size, same, difference, missing };
  } finally {
    await batches.return();
  }
};
