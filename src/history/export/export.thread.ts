import { serveTaskWithProgress } from '../../lib/task-with-progress.ts';
import { runNdjsonExport } from './run-ndjson-export.ts';

serveTaskWithProgress(runNdjsonExport);
