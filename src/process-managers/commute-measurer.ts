import { setTimeout as delay } from 'node:timers/promises';
import { savedPostingsCollection, type SavedPosting } from '../../projections/saved-postings.ts';
import { savedPostingsDecider } from '../domain/saved-postings.ts';
import type { CommandHandler } from '../application/handle-command.ts';
import type { RoadRouter } from './road-router.ts';
import type { HostedProjector } from '../projector-threads/host.ts';
import type { ReadModels, StoredDocument } from '../read-models/port.ts';

const RETRY_MS = 60_000;
const PAGE_SIZE = 500;

/**
 * A process manager: has a road router measure the commutes of saved postings that are only estimated, and records each
 * as an event, since projections call nothing outside. A query finds what is left to do, so a stop loses nothing. A
 * failed commute is tried again after a minute. Ends when the signal is aborted.
 */
export const runCommuteMeasurer = async (options: {
  readonly readModels: Pick<ReadModels, 'find'>;
  readonly projector: Pick<HostedProjector, 'next' | 'isCaughtUp'>;
  readonly handler: Pick<CommandHandler, 'appendAs'>;
  readonly router: RoadRouter;
  readonly onError: (error: unknown) => void;
  readonly signal: AbortSignal;
}): Promise<void> => {
  const { readModels, projector, handler, router, onError, signal } = options;
  /**
   * Commutes that were tried: recorded and not yet in the read model, or failed and not to be tried before a time, in
   * milliseconds of this process.
   */
  const tried = new Map<string, { readonly way: string; readonly notBefore: number }>();

  const measure = async ({ id, doc }: StoredDocument<SavedPosting>): Promise<void> => {
    const { unmeasured, professionalId, postingId } = doc;
    const way = JSON.stringify(unmeasured);
    const before = tried.get(id);
    if (!unmeasured || (before?.way === way && performance.now() < before.notBefore)) return;
    tried.set(id, { way, notBefore: performance.now() + RETRY_MS });
    const { from, to } = unmeasured;
    try {
      const road = await router(from, to);
      await handler.appendAs('service:commutes', id)(savedPostingsDecider, professionalId)(({ savedAt }) =>
        savedAt.has(postingId)
          ? [{ type: 'CommuteMeasured', data: { professionalId, postingId, from, to, ...road } }]
          : [],
      );
    } catch (error) {
      onError(error);
    }
  };

  const isOver = () => signal.aborted;
  /** A failed pass counts as one commute left, so that another one follows. */
  const failed = (error: unknown): number => {
    onError(error);
    return 1;
  };

  /** Tries all that are unmeasured, a page at a time; resolves to how many there were. */
  const pass = async (): Promise<number> => {
    const open = new Set<string>();
    for (let skip = 0; !isOver(); skip += PAGE_SIZE) {
      const found = await readModels.find(savedPostingsCollection, {
        filter: { isUnmeasured: 1 },
        order: [['id', 'ascending']],
        skip,
        limit: PAGE_SIZE,
      });
      for (const stored of found) {
        open.add(stored.id);
        if (!isOver()) await measure(stored);
      }
      if (found.length < PAGE_SIZE) break;
    }
    for (const id of tried.keys()) if (!open.has(id)) tried.delete(id);
    return open.size;
  };

  while (!isOver()) {
    const woken = new AbortController();
    const changed = projector.next(AbortSignal.any([signal, woken.signal]));
    const left = projector.isCaughtUp() ? await pass().catch(failed) : 0;
    const retry = left > 0 ? [delay(RETRY_MS, undefined, { signal: woken.signal }).catch(() => undefined)] : [];
    await Promise.race([changed, ...retry]);
    woken.abort();
  }
};
