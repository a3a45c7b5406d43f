import type { PoisonEvent } from '../../projector/parking.ts';
import { object } from '../../schema/schema.ts';
import { Type, type Static } from '../../schema/typebox.ts';
import { createInMemoryReadModel } from './row-changes.ts';
import type { Moment } from './moment.ts';
import type { Mask } from './mask.ts';
import { inMemoryReadModels } from './in-memory-read-models.ts';
import { maskedAnswer, type HistoryReadModel } from './history-read-models.ts';
import { eventsOfPartition, type HistorySource } from './streams.ts';

/** Events that could not be applied, as the service parks their streams. */
export const LeftOut = Type.Array(
  object(
    {
      stream: Type.String(),
      revision: Type.Integer(),
      position: Type.String(),
      type: Type.String(),
      reason: Type.String(),
    },
    { title: 'LeftOutEvent' },
  ),
  { description: 'Events that could not be applied; from there on their streams are left out.' },
);
export type LeftOut = Static<typeof LeftOut>;

export const leftOutBy = (poisons: readonly PoisonEvent[]): LeftOut =>
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
