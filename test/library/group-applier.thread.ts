import { serveTasks } from '../../src/lib/worker-task.ts';
import { createGroupApplierTaskHandler } from '../../src/projector-threads/group-applier.ts';
import { lentBooks } from './lent-books.ts';

serveTasks(createGroupApplierTaskHandler([lentBooks]));
