import { once } from 'node:events';
import { Type } from '../../src/schema/typebox.ts';
import { projections } from '../../projections/index.ts';
import { postingCandidatesCollection } from '../../projections/posting-candidates.ts';
import { startProjector } from '../../src/projector/projector.ts';
import { createLocalGroupApplier } from '../../src/projector/apply-groups.ts';
import { groupApplierThreadUrl } from '../../src/hiring/threads.ts';
import { createThreadedGroupApplier } from '../../src/projector-threads/apply-in-thread.ts';
import { openConcurrentEventLog, openReadModelStore, type StoreSettings } from '../../src/stores.ts';
import { answerParent } from './answering.ts';
import { peakMemoryMb } from './peak-memory.ts';

const Request = Type.Object({
  eventsFile: Type.String(),
  readModelsFile: Type.String(),
  /** By name; all of them where it is left out. */
  projection: Type.Optional(Type.String()),
});

const LONGEST_MS = 3_600_000;

/** Builds projections from nothing, with the service's own projector, until they have reached the log's head. */
answerParent(Request, async ({ eventsFile, readModelsFile, projection }) => {
  const chosen = projections.filter(({ name }) => projection === undefined || name === projection);
  const started = performance.now();
  const stores: StoreSettings = {
    eventStore: { kind: 'sqlite', path: eventsFile },
    readModels: { kind: 'sqlite', path: readModelsFile },
  };
  // A file's log drops no subscription.
  const eventStore = await openConcurrentEventLog(stores.eventStore, () => undefined);
  const readModels = await openReadModelStore(stores.readModels, () => undefined);
  const names = chosen.map(({ name }) => name);
  // It would try again; here the first failure is the end.
  const failure = new AbortController();
  const onError = (_projection: string, error: unknown) => failure.abort(error);
  const projector = await startProjector({
    eventStore,
    readModels,
    projections: chosen,
    onError,
    applyGroups: createThreadedGroupApplier(
      groupApplierThreadUrl,
      stores,
      createLocalGroupApplier({ eventStore, readModels }),
      false,
    ),
  });
  const reached = projector.reached(names, await eventStore.head(), LONGEST_MS);
  const isThere = await Promise.race([reached, once(failure.signal, 'abort')]);
  failure.signal.throwIfAborted();
  if (!isThere) throw new Error(`${names.join(', ')} did not reach the head in ${LONGEST_MS} ms`);
  const seconds = (performance.now() - started) / 1_000;
  const memoryMb = peakMemoryMb();

  const documents = await readModels.count(postingCandidatesCollection, {});
  await projector.stop();
  const events = Number(await eventStore.head());
  await readModels.close();
  await eventStore.close();
  return { events, seconds, memoryMb, documents };
});
