import { candidatesOfPosting, postingCandidates } from '../../../projections/posting-candidates.ts';
import {
  candidatesOfProfessional,
  professionalCandidates,
} from '../../../projections/professional-candidates.ts';
import { candidate } from '../../domain/candidate.ts';
import { streamOf } from '../../domain/decider.ts';
import { START } from '../../event-store/port.ts';
import type { Projection } from '../../projector/projection.ts';
import type { Checkpoint, Collection, ReadModels } from '../../read-models/port.ts';
import type { StreamIndex } from './streams.ts';

/** A build of a projection, as it is served now. */
export interface BuildNow {
  readonly checkpoint: Checkpoint;
  readonly readModels: ReadModels;
}

/** Rows that are never removed, each with the id of its stream. */
interface Rows {
  readonly category: string;
  readonly member: string;
  readonly projection: Projection;
  readonly collection: Collection;
}

const tables: readonly Rows[] = [
  {
    category: candidate.category,
    member: 'postingId',
    projection: postingCandidates,
    collection: candidatesOfPosting,
  },
  {
    category: candidate.category,
    member: 'professionalId',
    projection: professionalCandidates,
    collection: candidatesOfProfessional,
  },
];

/**
 * Finds streams by the rows that the read models have of them now.
 *
 * @param buildNow gives a build made from the event log, whose documents are those of its checkpoint or newer; undefined
 *   where there is none
 */
export const indexByRows = (
  buildNow: (projection: Projection) => Promise<BuildNow | undefined>,
): StreamIndex => ({
  async streamsNaming(category, member, value) {
    const rows = tables.find((each) => each.category === category && each.member === member);
    if (!rows) return undefined;
    const build = await buildNow(rows.projection);
    if (!build?.checkpoint.isBuilt) return undefined;
    const { checkpoint, readModels } = build;
    const found = await readModels.find(rows.collection, { filter: { [member]: value } });
    // A parked stream may have no row; one of another entity does no harm.
    const parked = checkpoint.parked.map(({ stream }) => stream);
    return {
      streams: [...found.map(({ id }) => streamOf({ category }, id)), ...parked],
      upTo: checkpoint.last?.position ?? START,
    };
  },
});
