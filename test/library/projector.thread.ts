import { serveTasks } from '../../src/lib/worker-task.ts';
import { createProjectorTaskHandler } from '../../src/projector-threads/projector-worker.ts';
import { lentBooks } from './lent-books.ts';

serveTasks(createProjectorTaskHandler([lentBooks], new URL('./group-applier.thread.js', import.meta.url)));
