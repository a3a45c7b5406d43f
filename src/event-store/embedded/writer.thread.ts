import { serveTasks } from '../../lib/worker-task.ts';
import { createAppendTaskHandler } from './append-task-handler.ts';

serveTasks(createAppendTaskHandler());
