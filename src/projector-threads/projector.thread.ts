/** The thread that keeps the read models up to date, so that no request waits while events are applied. */
import { serveTasks } from '../lib/worker-task.ts';
import type { ProjectorTask } from './messages.ts';
import { runProjector } from './open-projector.ts';

serveTasks<ProjectorTask>({ run: runProjector });
