import { setTimeout as delay } from 'node:timers/promises';
import { postingsOfProfessional } from '../projections/saved-postings.ts';
import { savedPostings as list } from './domain/saved-postings.ts';
import type { CommandHandler } from './handle-command.ts';
import type { RoadRouter } from './ports/road-router.ts';
import type { Projector } from './projector.ts';
import type { ReadModels } from './read-models/port.ts';

const AT_ONCE = 100;
const PAUSE_AFTER_FAILURE_MS = 30_000;

/**
 * Has a road router measure the ways of saved postings that are only estimated, and records what it says as an event;
 * projections themselves call nothing outside. What is still to do is a question to the read model, so nothing is lost
 * when the service stops. Ends when the signal is aborted.
 */
export const measureCommutes = async (options: {
  readonly readModels: ReadModels;
  readonly projector: Pick<Projector, 'next'>;
  readonly handler: Pick<CommandHandler, 'appendAs'>;
  readonly router: RoadRouter;
  readonly onError: (error: unknown) => void;
  readonly signal: AbortSignal;
}): Promise<void> => {
  const { readModels, projector, handler, router, onError, signal } = options;
  const recorded = new Map<string, string>();

  const measure = async (id: string, from: Place, to: Place, professionalId: string, postingId: string) => {
    const road = await router(from, to);
    await handler.appendAs('service:commutes', id)(list, professionalId)(({ savedAt }) =>
      savedAt.has(postingId)
        ? [{ type: 'CommuteMeasured', data: { professionalId, postingId, from, to, ...road } }]
        : [],
    );
  };

  while (!signal.aborted) {
    const changed = projector.next(signal);
    try {
      const found = await readModels.find(postingsOfProfessional, {
        filter: { isUnmeasured: 1 },
        limit: AT_ONCE,
      });
      for (const id of recorded.keys()) if (!found.some((one) => one.id === id)) recorded.delete(id);
      let hasMeasured = false;
      for (const { id, doc } of found) {
        const key = JSON.stringify(doc.unmeasured);
        // Recorded already: the projection is on its way to it.
        if (!doc.unmeasured || recorded.get(id) === key) continue;
        hasMeasured = true;
        await measure(id, doc.unmeasured.from, doc.unmeasured.to, doc.professionalId, doc.postingId);
        recorded.set(id, key);
      }
      if (!hasMeasured) await changed;
    } catch (error) {
      onError(error);
      await delay(PAUSE_AFTER_FAILURE_MS, undefined, { signal }).catch(() => undefined);
    }
  }
};

type Place = Parameters<RoadRouter>[0];
