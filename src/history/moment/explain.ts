import { notFound } from '../../errors/domain-error.ts';
import type { LazilyDecodedEvent } from '../../projector/apply-event.ts';
import { toLeftOutEvents } from './partition-at.ts';
import { createInMemoryProjection, trackRowChanges, type MemberCause } from './row-changes.ts';
import type { Mask } from './mask.ts';
import { leavesOf } from './member-paths.ts';
import { momentText, type Moment } from './moment.ts';
import type { HistoryReadModel } from './history-read-models.ts';
import { readRowEvents, type IndexedEventLog } from './indexed-event-log.ts';

/**
 * First the events of the streams that make rows, then the others, both in the event log's order. A finished read model
 * does not depend on how streams interleave. So a member whose value comes from another stream is explained by an event
 * of that stream, even if that event is older than the row.
 */
const rowsFirst = (events: readonly LazilyDecodedEvent[], { madeBy }: HistoryReadModel): LazilyDecodedEvent[] => {
  const isOfRows = ({ stream }: LazilyDecodedEvent) => stream.startsWith(`${madeBy}-`);
  return [...events.filter(isOfRows), ...events.filter((each) => !isOfRows(each))];
};

/**
 * For each member of a row at a moment, the event that changed it to what it is.
 *
 * @param id of the row's document: a candidate's, a professional's, a specialty's, or `<professional>/<posting>` of a
 *   saved posting
 * @throws DomainError not-found where there was no such row
 */
export const explainRow = async (
  source: IndexedEventLog,
  readModel: HistoryReadModel,
  id: string,
  moment: Moment,
  mask: Mask,
) => {
  const none = (because = '') => notFound(`${readModel.name} had no row ${id} at ${momentText(moment)}${because}`);
  const found = await readRowEvents(source, readModel, id, moment);
  if (!found) throw none();
  const { partition, events } = found;
  const applied = createInMemoryProjection(readModel);
  const inOrder = rowsFirst(events, readModel);
  const followed = await trackRowChanges(readModel, partition, applied, inOrder, mask, (each) => each === id);
  const { now: row, changes } = followed.get(id) ?? {};
  const gone = changes?.ofRow;
  if (!row) throw none(gone && `: ${gone.type} at ${gone.position} took it away`);
  const members = leavesOf(row).flatMap(([path]): readonly MemberCause[] => {
    const by = changes?.of(path);
    return by ? [{ path, by }] : [];
  });
  return { partition, row, members, leftOut: toLeftOutEvents(applied.poisons) };
};
