import { openLog } from '../../stores.ts';
import { doOrdered, type Doing } from '../threads/ordered.ts';
import { maskBy } from '../moment/mask.ts';
import { copySourceOf } from './copy-source.ts';
import { prepareCopy, withCopy, type PreparationNews, type StoresPreparation } from './prepare.ts';

/** Of the events that are applied, the parent is told once in so many milliseconds. */
const EVERY_MS = 200;

await doOrdered(async (preparation: StoresPreparation, doing: Doing<PreparationNews>) => {
  let toldAt = 0;
  const tell = (news: PreparationNews): void => {
    if (news.kind === 'applied' && performance.now() - toldAt < EVERY_MS) return;
    toldAt = performance.now();
    doing.onNews(news);
  };
  const log = await openLog(preparation.eventStore, doing.onDropped);
  try {
    const mask = maskBy(preparation.maskSecret);
    const source = copySourceOf(log, mask);
    return await withCopy(preparation, (copy) =>
      prepareCopy(copy, source, mask, preparation, { ...doing, onNews: tell }),
    );
  } finally {
    await log.close();
  }
});
