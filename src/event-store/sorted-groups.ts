import { cutBatches } from './group-batches.ts';
import type { EventBatch, GroupBatch, GroupRead } from './port.ts';
import { openSpill } from './spill.ts';

/** The groups of the events that a subscription from the start of the log gives, sorted in a temporary file. */
export async function* sortedGroups(
  subscription: AsyncIterable<EventBatch>,
  { by, upTo, batchSize, after }: GroupRead,
  signal: AbortSignal,
): AsyncGenerator<GroupBatch, void, undefined> {
  const spill = openSpill();
  let isWhole = false;
  try {
    for await (const { events, position } of subscription) {
      for (const event of events) {
        const group = event.data[by];
        if (event.position <= upTo)
          spill.add({ group: typeof group === 'string' ? group : '', text: JSON.stringify(event) });
      }
      isWhole = position >= upTo;
      if (isWhole) break;
    }
    // A subscription ends early only when it is aborted.
    if (!isWhole) return;
    for (const batch of cutBatches(spill.sorted(after), batchSize)) {
      yield batch;
      if (signal.aborted) return;
    }
  } finally {
    spill.close();
  }
}
