import { projections } from '../../projections/index.ts';
import { serveTasks } from '../lib/worker-task.ts';
import { createGroupApplierWorker } from '../projector-threads/group-applier.ts';

serveTasks(createGroupApplierWorker(projections));
