/** The thread that keeps the read models up to date, so that no request waits while events are applied. */
import { projections } from '../../projections/index.ts';
import { serveTasks } from '../lib/worker-task.ts';
import { projectorWorker } from '../projector-threads/open-projector.ts';
import { groupApplierThread } from './threads.ts';

serveTasks(projectorWorker(projections, groupApplierThread));
