/** The thread that answers questions about the history, so that other requests do not wait for them. */
import { lowerThreadPriority } from '../../lib/thread-priority.ts';
import { runInWorker } from '../../lib/thread.ts';
import { openQuestions } from './open-questions.ts';

lowerThreadPriority();
await runInWorker(openQuestions);
