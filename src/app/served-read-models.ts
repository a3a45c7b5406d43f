import type { ServedReadModels } from '../http/query-route.ts';
import { servedReadModels, type ServedBuildIds } from '../projector/build-projection.ts';
import type { Projection } from '../projector/projection.ts';
import type { openReadModelReader } from '../stores.ts';

/** What is served now: the same object until other builds are. */
export const createServedReadModelsProvider = (
  projections: readonly Projection[],
  reader: Awaited<ReturnType<typeof openReadModelReader>>,
  ids: () => ServedBuildIds,
): (() => ServedReadModels) => {
  const { track } = reader;
  const serve = (own: ServedBuildIds) => ({
    ids: own,
    readModels: servedReadModels(reader, projections, own),
    validity: { isCurrent: true },
    track:
      track &&
      (() => {
        const { readModels, validities } = track();
        return { readModels: servedReadModels(readModels, projections, own), validities };
      }),
  });
  let known: ReturnType<typeof serve> | undefined;
  return () => {
    const own = ids();
    if (known?.ids === own) return known;
    if (known) known.validity.isCurrent = false;
    return (known = serve(own));
  };
};
