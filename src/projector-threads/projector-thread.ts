import { runInWorker } from '../lib/thread.ts';
import { openProjector } from './open-projector.ts';

/** The thread that keeps the read models up to date, so that no request waits while events are applied. */
await runInWorker(openProjector);
