import type { LogIdentityReader } from '../../event-store/identity.ts';
import { serviceRecordAt } from '../../event-store/own-record.ts';
import { neverAborted } from '../../lib/never-aborted.ts';
import { START_POSITION, type EventLog, type LogEventCounter, type Position } from '../../event-store/port.ts';
import { toHistoryEvent, type HistoryEvent } from './history-event.ts';
import type { EventFilter } from './search.ts';
import type { Mask, MaskIdentity } from './mask.ts';
import { createRangeFilter, type LogRange } from './moment.ts';

interface HistoryEventBatch {
  readonly events: readonly HistoryEvent[];
  /** How many events of the event log were read for them; of a service, how many it sent. */
  readonly read: number;
}

/** An event log as it is shown: that of the stores, or that of a service. */
export interface HistoryEventSource {
  readonly shownAs: MaskIdentity;
  /**
   * The first events of a part of the event log, in its order: of some types, or all. Once the signal is aborted they
   * end early or throw its reason: call `throwIfAborted` after the last.
   */
  read(
    range: LogRange,
    types: EventFilter['types'],
    limit: number,
    signal: AbortSignal,
  ): AsyncIterable<HistoryEventBatch>;
  /**
   * The id of the event at a position; null where there is none of this event log.
   *
   * @param after an earlier position of the same event log, from which it may be looked for
   */
  idAt(position: Position, after: Position): Promise<string | null>;
  /** How many events a part of the event log has, about; undefined where that is not known. */
  countIn(range: LogRange): Promise<number | undefined>;
}

/** An event log that is shown, to compare it with what was made from it up to a position. @param after as in `idAt` */
export const logIdentityReaderOfSource = (
  source: Pick<HistoryEventSource, 'read' | 'idAt'>,
  upTo: Position,
  after: Position,
): LogIdentityReader => ({
  async first() {
    for await (const { events } of source.read({ after: START_POSITION, upTo }, undefined, 1, neverAborted))
      for (const { position, id } of events) return { position, id };
    return undefined;
  },
  idAt: async (position) => (await source.idAt(position, position > after ? after : START_POSITION)) ?? undefined,
});

export type ReadableLog = Pick<EventLog, 'readAll' | 'recordAt'> & Pick<LogEventCounter, 'countAfter' | 'shareOf'>;

/** Events that are read at a time. */
const READ_SIZE = 1_000;

/** Shows the event log of the stores. */
export const historyEventSourceOf = (log: ReadableLog, mask: Mask): HistoryEventSource => ({
  shownAs: mask,
  async *read(range, types, limit, signal) {
    const { after, upTo } = range;
    const isIn = createRangeFilter(range);
    const wanted = types && new Set(types);
    let [position, left] = [after, limit];
    while (left > 0 && position < upTo && !signal.aborted) {
      const found = await log.readAll(position, wanted ? READ_SIZE : Math.min(READ_SIZE, left));
      const events = found.filter((event) => event.position <= upTo);
      const last = events.at(-1);
      // No event of this service stands between here and the end.
      if (!last) return;
      position = last.position;
      const chosen = events.filter((event) => isIn(event) && (wanted?.has(event.type) ?? true)).slice(0, left);
      left -= chosen.length;
      const end = left === 0 ? chosen.at(-1) : last;
      const read = events.findIndex((event) => event === end) + 1;
      yield { events: chosen.map((event) => toHistoryEvent(event, mask)), read };
    }
  },
  async idAt(position) {
    return (await serviceRecordAt(log, position))?.id ?? null;
  },
  async countIn({ after, upTo }) {
    // Where counting is not cheap, it ends before a large number is reached.
    if (log.shareOf) return undefined;
    return (await log.countAfter(after)) - (await log.countAfter(upTo));
  },
});
