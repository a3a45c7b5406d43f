import type { EventLog, Position } from '../../event-store/port.ts';
import { createLeakyBucket } from '../../lib/leaky-bucket.ts';
import type { JsonObject } from '../../schema/json.ts';
import { historyEventSourceOf, type ReadableLog, type HistoryEventSource } from '../moment/history-event-source.ts';
import { readModelRowsAt } from '../moment/all-rows.ts';
import type { Mask } from '../moment/mask.ts';
import type { MomentCutoff } from '../moment/moment.ts';
import type { HistoryReadModel } from '../moment/history-read-models.ts';

interface RowsOptions {
  readonly signal: AbortSignal;
  /** Told how many events are applied, of how many if that is known; a service, which applies them, tells nothing. */
  readonly onEvents: (applied: number, of: number | undefined) => void;
}

/** What a copy is made from: the event log of the stores, or a service. */
export interface WarehouseSource extends HistoryEventSource {
  /** The position up to which a copy is brought: of the last event, now or when a service was first asked. */
  head(): Promise<Position>;
  /** All rows of a read model at a moment, as they are shown; they end as events do once the signal is aborted. */
  rowsOf(readModel: HistoryReadModel, moment: MomentCutoff, options: RowsOptions): AsyncIterable<readonly JsonObject[]>;
}

/** Copies the event log of the stores. */
export const warehouseSourceOf = (
  log: ReadableLog & Pick<EventLog, 'head' | 'readGroups'>,
  mask: Mask,
): WarehouseSource => ({
  ...historyEventSourceOf(log, mask),
  head: () => log.head(),
  rowsOf: (readModel, moment, options) => readModelRowsAt(log, readModel, moment, { mask, ...options }),
});

/** The same source, of which no more events are read than so many a second. @param perSecond undefined: no limit */
export const throttleSource = (source: WarehouseSource, perSecond: number | undefined): WarehouseSource =>
  perSecond === undefined
    ? source
    : {
        ...source,
        async *read(range, types, limit, signal) {
          const throttle = createLeakyBucket(() => perSecond, signal);
          for await (const batch of source.read(range, types, limit, signal)) {
            yield batch;
            await throttle(batch.read);
          }
        },
      };
