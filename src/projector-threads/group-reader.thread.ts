import { serveTasks } from '../lib/worker-task.ts';
import { openConcurrentEventLog } from '../stores.ts';
import type { ReadGroupsProtocol } from './messages.ts';

serveTasks<ReadGroupsProtocol>({
  async *run({ settings, read }, { signal }) {
    // A dropped subscription resumes by itself; the projector's own one is reported.
    const eventStore = await openConcurrentEventLog(settings, () => undefined);
    try {
      yield* eventStore.readGroups(read, signal);
    } finally {
      await eventStore.close();
    }
  },
});
