import { serveTasks } from '../../lib/worker-task.ts';
import { createAppendWorker } from './serve-appends.ts';

serveTasks(createAppendWorker());
