import { cutBatches } from '../../src/event-store/group-batches.ts';
import { openTemporarySorter } from '../../src/event-store/eventstoredb/sorted-groups.ts';
import { serveTasks } from '../../src/lib/worker-task.ts';

/** 150 texts of a megabyte and a short one, in three groups, last group first. */
const spill = openTemporarySorter();
for (let index = 150; index >= 0; index--)
  spill.add({
    group: `g${Math.floor(index / 60)}`,
    text: JSON.stringify({ index, long: 'x'.repeat(index && 1_000_000) }),
  });
serveTasks({
  async *run() {
    for (const batch of cutBatches(spill.sorted(), 250)) yield await Promise.resolve(batch);
  },
  close: () => void spill.close(),
});
