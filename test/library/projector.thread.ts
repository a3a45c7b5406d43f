import { serveTasks } from '../../src/lib/worker-task.ts';
import { createProjectorWorker } from '../../src/projector-threads/projector-worker.ts';
import { lentBooks } from './lent-books.ts';

serveTasks(createProjectorWorker([lentBooks], new URL('./group-applier.thread.js', import.meta.url)));
