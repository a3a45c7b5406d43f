import { lowerThreadPriority } from '../../lib/thread-priority.ts';
import { serveTasks } from '../../lib/worker-task.ts';
import { findLogDamage, type VerifyProtocol } from './verify.ts';

lowerThreadPriority();
serveTasks<VerifyProtocol>({ run: (file, { signal }) => findLogDamage(file, signal) });
