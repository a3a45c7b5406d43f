import { entityStreams, streamNameIn, entityStreamsCollection } from '../../../projections/entity-streams.ts';
import { entityKeyOf, type Entity } from '../../domain/entity.ts';
import { START_POSITION, type Position } from '../../event-store/port.ts';
import type { Projection } from '../../projector/projection.ts';
import type { Checkpoint, ReadModels } from '../../read-models/port.ts';

/** Finds streams faster than by reading the event log. */
export interface EntityIndex {
  /**
   * @returns all streams whose events, up to `upTo`, name the entity where their own names do not, and maybe other
   *   streams; START_POSITION where the index knows nothing
   */
  streamsReferencing(entity: Entity): Promise<{ readonly streams: readonly string[]; readonly upTo: Position }>;
}

/** Without an index the event log is read. */
export const noIndex: EntityIndex = {
  streamsReferencing: () => Promise.resolve({ streams: [], upTo: START_POSITION }),
};

/**
 * Finds streams by the projection of them.
 *
 * @param buildNow gives a build made from the event log, whose documents are those of its checkpoint or newer;
 *   undefined where there is none
 */
export const createProjectedEntityIndex = (
  buildNow: (
    projection: Projection,
  ) => Promise<{ readonly checkpoint: Checkpoint; readonly readModels: ReadModels } | undefined>,
): EntityIndex => ({
  async streamsReferencing(entity) {
    const build = await buildNow(entityStreams);
    if (!build?.checkpoint.isBuilt) return noIndex.streamsReferencing(entity);
    const { checkpoint, readModels } = build;
    const found = await readModels.find(entityStreamsCollection, { filter: { entity: entityKeyOf(entity) } });
    // A parked stream may not be noted; one of another entity does no harm.
    const parked = checkpoint.parked.map(({ stream }) => stream);
    return { streams: [...found.map(streamNameIn), ...parked], upTo: checkpoint.last?.position ?? START_POSITION };
  },
});
