import { compareByCodePoint } from '../../lib/compare-by-code-point.ts';
import type { JsonObject } from '../../schema/json.ts';
import { toLeftOutEvents } from './partition-at.ts';
import {
  createInMemoryProjection,
  trackRowChanges,
  type Cause,
  type TrackedRow,
  type MemberCause,
} from './row-changes.ts';
import { memberChangesBetween } from './member-paths.ts';
import type { Mask } from './mask.ts';
import type { Moment } from './moment.ts';
import type { HistoryReadModel } from './history-read-models.ts';
import { readPartitionEvents, type IndexedEventLog } from './indexed-event-log.ts';

/** What became of a row. Its id is that of its document. */
export type RowDifference =
  | { readonly kind: 'added'; readonly id: string; readonly after: JsonObject; readonly by: Cause }
  | { readonly kind: 'gone'; readonly id: string; readonly before: JsonObject; readonly by: Cause }
  | {
      readonly kind: 'changed';
      readonly id: string;
      readonly before: JsonObject;
      readonly after: JsonObject;
      /** Those that differ, each with the event that made it what it is at the later moment. */
      readonly members: readonly MemberCause[];
    };

const known = (by: Cause | undefined): Cause => {
  if (!by) throw new Error('A row differs that no event has changed');
  return by;
};

const differenceOf = (id: string, { first, now, changes }: TrackedRow): RowDifference | undefined => {
  if (!first) return now && { kind: 'added', id, after: now, by: known(changes.ofRow) };
  if (!now) return { kind: 'gone', id, before: first, by: known(changes.ofRow) };
  const members = memberChangesBetween(first, now).map(({ path }) => ({ path, by: known(changes.of(path)) }));
  return members.length > 0 ? { kind: 'changed', id, before: first, after: now, members } : undefined;
};

/**
 * How the rows of a partition differ between two moments, by their ids, each difference with the event that made it:
 * the events of the earlier moment are applied, then the others one by one. A finished read model does not depend on
 * how streams interleave.
 *
 * @param from of its events only those count that the later moment has, too
 */
export const diffPartitionBetweenMoments = async (
  source: IndexedEventLog,
  readModel: HistoryReadModel,
  partition: string,
  { from, to }: { readonly from: Moment; readonly to: Moment },
  mask: Mask,
) => {
  const applied = createInMemoryProjection(readModel);
  const events = await readPartitionEvents(source, readModel, partition, to, from);
  for (const each of events) if (each.isEarlier) applied.apply(each);
  const others = events.filter((each) => !each.isEarlier);
  const rows = await trackRowChanges(readModel, partition, applied, others, mask);
  const differences = Array.from(rows, ([id, followed]) => differenceOf(id, followed) ?? []).flat();
  return {
    rows: differences.sort((a, b) => compareByCodePoint(a.id, b.id)),
    leftOut: toLeftOutEvents(applied.poisons),
  };
};
