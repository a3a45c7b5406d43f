import { serveTasks } from '../../lib/worker-task.ts';
import { appendWorker } from './serve-appends.ts';

serveTasks(appendWorker());
