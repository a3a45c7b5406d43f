import { serveObserved, type TaskObserver } from '../../lib/observed-task.ts';
import { prepareWarehouse, withStores, type PreparationNews, type StoresPreparation } from './prepare.ts';

/** How many events are applied is posted once in so many milliseconds. */
const EVERY_MS = 200;

serveObserved((preparation: StoresPreparation, observer: TaskObserver<PreparationNews>) => {
  let postedAt = 0;
  const onNews = (news: PreparationNews): void => {
    if (news.kind === 'applied' && performance.now() - postedAt < EVERY_MS) return;
    postedAt = performance.now();
    observer.onNews(news);
  };
  return withStores(preparation, observer.onDropped, (source, mask) =>
    prepareWarehouse(source, mask, preparation, { ...observer, onNews }),
  );
});
