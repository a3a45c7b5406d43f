/** The thread that keeps the read models up to date, so that no request waits while events are applied. */
import { runInWorker } from '../lib/thread.ts';
import { openProjector } from './open-projector.ts';

await runInWorker(openProjector);
