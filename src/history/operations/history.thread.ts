/** The thread that answers questions about the history, so that other requests do not wait for them. */
import { lowerThreadPriority } from '../../lib/thread-priority.ts';
import { serveTasks } from '../../lib/worker-task.ts';
import { createHistoryHandler } from './history-handler.ts';

lowerThreadPriority();
serveTasks(createHistoryHandler());
