import type { PoisonEvent } from '../../projector/parking.ts';
import { createInMemoryReadModel } from './row-changes.ts';
import type { Moment } from './moment.ts';
import type { Mask } from './mask.ts';
import { inMemoryReadModels } from './in-memory-read-models.ts';
import { maskedAnswer, type HistoryReadModel } from './history-read-models.ts';
import { eventsOfPartition, type HistorySource } from './streams.ts';

/** An event that could not be applied: its stream is left out from there on, as the service would. */
export interface LeftOut extends Pick<PoisonEvent, 'stream' | 'revision' | 'position' | 'type'> {
  readonly reason: string;
}

export const leftOutBy = (poisons: readonly PoisonEvent[]): readonly LeftOut[] =>
  poisons.map(({ stream, revision, position, type, error }) => ({
    stream,
    revision,
    position,
    type,
    reason: error.message,
  }));

/** The rows of a partition as its query would have answered at a moment, as they are shown. */
export const rowsAt = async (
  source: HistorySource,
  readModel: HistoryReadModel,
  partition: string,
  moment: Moment,
  mask: Mask,
) => {
  const applied = createInMemoryReadModel(readModel);
  for (const each of await eventsOfPartition(source, readModel, partition, moment)) applied.apply(each);
  const answer = readModel.ask(partition, inMemoryReadModels(applied.documents));
  const shown = await maskedAnswer(readModel, answer, mask, applied.users);
  return { ...shown, leftOut: leftOutBy(applied.poisons) };
};
