import { doOrdered, type Doing } from '../threads/ordered.ts';
import { prepareWarehouse, withStores, type PreparationNews, type StoresPreparation } from './prepare.ts';

/** Of the events that are applied, the parent is told once in so many milliseconds. */
const EVERY_MS = 200;

await doOrdered(async (preparation: StoresPreparation, doing: Doing<PreparationNews>) => {
  let toldAt = 0;
  const tell = (news: PreparationNews): void => {
    if (news.kind === 'applied' && performance.now() - toldAt < EVERY_MS) return;
    toldAt = performance.now();
    doing.onNews(news);
  };
  return withStores(preparation, doing.onDropped, (source, mask) =>
    prepareWarehouse(source, mask, preparation, { ...doing, onNews: tell }),
  );
});
