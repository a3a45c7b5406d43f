import { serveTaskWithProgress, type TaskCallbacks } from '../../lib/task-with-progress.ts';
import {
  prepareWarehouse,
  withWarehouseSource,
  type PreparationProgress,
  type StoresPreparationRequest,
} from './prepare.ts';

/** How many events are applied is posted once in so many milliseconds. */
const EVERY_MS = 200;

serveTaskWithProgress((preparation: StoresPreparationRequest, observer: TaskCallbacks<PreparationProgress>) => {
  let postedAt = 0;
  const onProgress = (news: PreparationProgress): void => {
    if (news.kind === 'applied' && performance.now() - postedAt < EVERY_MS) return;
    postedAt = performance.now();
    observer.onProgress(news);
  };
  return withWarehouseSource(preparation, observer.onDropped, (source) =>
    prepareWarehouse(source, preparation, { ...observer, onProgress }),
  );
});
