import { serveTasks } from '../../src/lib/worker-task.ts';
import { projectorWorker } from '../../src/projector-threads/open-projector.ts';
import { lentBooks } from './lent-books.ts';

serveTasks(projectorWorker([lentBooks], new URL('./group-applier.thread.js', import.meta.url)));
