import { serveObserved } from '../../lib/observed-task.ts';
import { runExport } from './run.ts';

serveObserved(runExport);
