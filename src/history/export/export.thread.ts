import { serveTaskWithProgress } from '../../lib/task-with-progress.ts';
import { runExport } from './run.ts';

serveTaskWithProgress(runExport);
