import { projections } from '../../projections/index.ts';
import { serveTasks } from '../lib/worker-task.ts';
import { createGroupApplierTaskHandler } from '../projector-threads/group-applier.ts';

serveTasks(createGroupApplierTaskHandler(projections));
