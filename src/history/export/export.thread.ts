import { serveTaskWithProgress } from '../../lib/task-with-progress.ts';
import { exportNdjsonFromStores } from './ndjson-export.ts';

serveTaskWithProgress(exportNdjsonFromStores);
