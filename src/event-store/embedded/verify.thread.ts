import { lowerThreadPriority } from '../../lib/thread-priority.ts';
import { serveTasks } from '../../lib/worker-task.ts';
import { verifyLog, type VerifyTask } from './verify.ts';

lowerThreadPriority();
serveTasks<VerifyTask>({ run: (file, { signal }) => verifyLog(file, signal) });
