/** The thread that keeps the read models up to date, so that no request waits while events are applied. */
import { projections } from '../../projections/index.ts';
import { serveTasks } from '../lib/worker-task.ts';
import { createProjectorTaskHandler } from '../projector-threads/projector-worker.ts';
import { groupApplierThreadUrl } from './threads.ts';

serveTasks(createProjectorTaskHandler(projections, groupApplierThreadUrl));
