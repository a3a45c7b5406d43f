import { once } from 'node:events';
import { streamCategories } from '../../src/domain/index.ts';
import { Type } from '../../src/schema/typebox.ts';
import { projections } from '../../projections/index.ts';
import { postingCandidatesCollection } from '../../projections/posting-candidates.ts';
import { startProjector } from '../../src/projector/projector.ts';
import { createLocalGroupApplier } from '../../src/projector/apply-groups.ts';
import { groupApplierThreadUrl } from '../../src/hiring/threads.ts';
import { createThreadedGroupApplier } from '../../src/projector-threads/apply-in-thread.ts';
import { openConcurrentEventLog, openReadModelStore, type StoreSettings } from '../../src/stores.ts';
import { answerParent } from './answering.ts';
import { countCpuTime } from './cpu-time.ts';
import { peakMemoryMb } from './peak-memory.ts';

const Request = Type.Object({
  eventStoreUrl: Type.String(),
  prefix: Type.String(),
  readModelUrl: Type.String(),
  /** By name; all of them where it is left out. */
  projection: Type.Optional(Type.String()),
});

const LONGEST_MS = 3_600_000;

/** Builds projections from nothing on the servers, with the service's own projector, up to the log's head. */
answerParent(Request, async ({ eventStoreUrl, prefix, readModelUrl, projection }) => {
  const chosen = projections.filter(({ name }) => projection === undefined || name === projection);
  let drops = 0;
  const stores: StoreSettings = {
    eventStore: { kind: 'eventstoredb', url: eventStoreUrl, prefix, categories: streamCategories },
    readModels: { kind: 'mongodb', url: readModelUrl },
  };
  const eventStore = await openConcurrentEventLog(stores.eventStore, () => drops++);
  const readModels = await openReadModelStore(stores.readModels, () => undefined);
  const head = await eventStore.head();
  const started = performance.now();
  const cpuTime = countCpuTime();
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
  const names = chosen.map(({ name }) => name);
  const reached = projector.reached(names, head, LONGEST_MS);
  await Promise.race([reached, once(failure.signal, 'abort')]);
  failure.signal.throwIfAborted();
  const seconds = (performance.now() - started) / 1_000;
  const cpuMicros = cpuTime();
  const memoryMb = peakMemoryMb();
  const documents = await readModels.count(postingCandidatesCollection, {});
  await projector.stop();
  await readModels.close();
  await eventStore.close();
  return { seconds, cpuMicros, memoryMb, documents, drops };
});
