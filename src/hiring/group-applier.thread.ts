import { projections } from '../../projections/index.ts';
import { serveTasks } from '../lib/worker-task.ts';
import { groupApplierWorker } from '../projector-threads/group-applier.ts';

serveTasks(groupApplierWorker(projections));
