import { serveTasks } from '../lib/worker-task.ts';
import { openLogReader } from '../stores.ts';
import type { ReadGroupsTask } from './messages.ts';

serveTasks<ReadGroupsTask>({
  async *run({ settings, read }, { signal }) {
    // A dropped subscription resumes by itself; the projector's own one is reported.
    const eventStore = await openLogReader(settings, () => undefined);
    try {
      yield* eventStore.readGroups(read, signal);
    } finally {
      await eventStore.close();
    }
  },
});
