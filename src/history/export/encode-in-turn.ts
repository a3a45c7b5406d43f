import { explained } from '../../sqlite/connections.ts';
import { openLog, type EventStoreSettings } from '../../stores.ts';
import type { FoundEvent } from '../find/event.ts';
import type { LogRange } from '../moment/moment.ts';
import { shownLogOf } from '../find/shown-log.ts';
import { maskBy } from '../moment/mask.ts';
import { encoded, type Encoded, type FileRows } from './encoded.ts';
import { rowsFormat, type ExportForm } from './formats.ts';
import { slicesOf } from './slices.ts';

/** What a thread encodes; plain data. */
export interface EncodeOrder {
  readonly eventStore: EventStoreSettings;
  readonly form: ExportForm;
  /** Of the masks; undefined for an export with personal data. */
  readonly maskSecret: string | undefined;
  readonly range: LogRange;
  readonly partEvents: number;
  /** Of the slices of the range it encodes those whose number, divided by `turns`, leaves this. */
  readonly turn: number;
  readonly turns: number;
}

/**
 * Encodes every slice that is this thread's turn: one run of events for each.
 *
 * @throws an error that says what failed: SQLite's own does not survive the way out of a thread
 */
export async function* encodeInTurn(
  { eventStore, form, maskSecret, range, partEvents, turn, turns }: EncodeOrder,
  signal: AbortSignal,
): AsyncGenerator<Encoded<readonly FileRows[]>, void, undefined> {
  const mask = maskBy(maskSecret);
  const format = rowsFormat(form, mask);
  if (!format) throw new Error(`Threads cannot encode ${form.format}`);
  // A file has no subscriptions that could be dropped.
  const log = await openLog(eventStore, () => undefined);
  try {
    const source = shownLogOf(log, mask);
    let slice = 0;
    for (const each of slicesOf(range, partEvents)) {
      if (slice++ % turns !== turn) continue;
      const events: FoundEvent[] = [];
      let read = 0;
      for await (const some of source.read(each, undefined, each.events, signal)) {
        events.push(...some.events);
        read += some.read;
      }
      if (signal.aborted) return;
      yield encoded({ events, read }, format.encode);
    }
  } catch (error) {
    throw explained('The event log cannot be read', error);
  } finally {
    await log.close();
  }
}
