import { compareTexts } from '../../lib/code-points.ts';
import { cutBatches } from '../group-batches.ts';
import { groupOf, type EventBatch, type GroupBatch, type GroupRead } from '../port.ts';
import { openSpill } from './spill.ts';

/** How often an empty batch tells the consumer that events still come. */
const TELL_MS = 1_000;

/** A subscription's events from the start of the event log, sorted by group in a temporary file. */
export async function* sortedGroups(
  subscription: AsyncIterable<EventBatch>,
  { by, upTo, batchSize, after }: GroupRead,
  signal: AbortSignal,
): AsyncGenerator<GroupBatch, void, undefined> {
  const spill = openSpill();
  let isWhole = false;
  let of = 0;
  let yieldedAt = performance.now();
  try {
    for await (const { events, position } of subscription) {
      for (const event of events) {
        const group = groupOf(event.data, by);
        if (event.position > upTo || (after !== undefined && compareTexts(group, after) <= 0)) continue;
        spill.add({ group, text: JSON.stringify(event) });
        of++;
      }
      isWhole = position >= upTo;
      if (isWhole) break;
      if (performance.now() - yieldedAt < TELL_MS) continue;
      yieldedAt = performance.now();
      yield { texts: [], ended: undefined, of };
    }
    // A subscription ends early only when it is aborted.
    if (!isWhole) return;
    for (const batch of cutBatches(spill.sorted(), batchSize)) {
      yield { ...batch, of };
      if (signal.aborted) return;
    }
  } finally {
    spill.close();
  }
}
