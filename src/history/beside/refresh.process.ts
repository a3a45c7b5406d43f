/** The process that brings the service's warehouse up to date, as often as it is asked. It knows nothing of statements. */
import { inChildProcess } from '../../lib/child-process.ts';
import { lowerProcessPriority } from '../../lib/process-priority.ts';
import { prepareWarehouse, withStores, type StoresPreparation } from '../warehouse/prepare.ts';
import { noAnswer } from './no-answer.ts';
import type { FromRefresher } from './warehouse-messages.ts';

lowerProcessPriority('low');
await inChildProcess<StoresPreparation, FromRefresher>(async ({ post, next }) => {
  // It is killed when it is to stop.
  const { signal } = new AbortController();
  for (;;) {
    const preparation = await next();
    try {
      const position = await withStores(
        preparation,
        () => undefined,
        (source, mask) =>
          prepareWarehouse(source, mask, preparation, {
            signal,
            onNews: (news) => post({ kind: 'news', news }),
          }),
      );
      post({ kind: 'refreshed', position });
    } catch (error) {
      post({ kind: 'none', because: noAnswer(error) });
    }
  }
});
