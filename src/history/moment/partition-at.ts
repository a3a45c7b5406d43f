import type { PoisonEvent } from '../../projector/parked-streams.ts';
import { object } from '../../schema/schema.ts';
import { Type, type Static } from '../../schema/typebox.ts';
import { createInMemoryProjection } from './row-changes.ts';
import type { Moment } from './moment.ts';
import type { Mask } from './mask.ts';
import { createInMemoryReadModels } from './in-memory-read-models.ts';
import { maskedAnswer, type HistoryReadModel } from './history-read-models.ts';
import { readPartitionEvents, type IndexedEventLog } from './indexed-event-log.ts';

/** Events that could not be applied, as the service parks their streams. */
export const LeftOutEvents = Type.Array(
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
export type LeftOutEvents = Static<typeof LeftOutEvents>;

export const toLeftOutEvents = (poisons: readonly PoisonEvent[]): LeftOutEvents =>
  poisons.map(({ stream, revision, position, type, error }) => ({
    stream,
    revision,
    position,
    type,
    reason: error.message,
  }));

/** The rows of a partition as its query would have answered at a moment, as they are shown. */
export const partitionAnswerAt = async (
  source: IndexedEventLog,
  readModel: HistoryReadModel,
  partition: string,
  moment: Moment,
  mask: Mask,
) => {
  const applied = createInMemoryProjection(readModel);
  for (const each of await readPartitionEvents(source, readModel, partition, moment)) applied.apply(each);
  const answer = readModel.ask(partition, createInMemoryReadModels(applied.documents));
  const shown = await maskedAnswer(readModel, answer, mask, applied.users);
  return { ...shown, leftOut: toLeftOutEvents(applied.poisons) };
};
