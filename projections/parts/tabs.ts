import type { Documents } from '../../src/projector/projection.ts';
import { defineCollection } from '../../src/read-models/port.ts';
import { officeStatuses, type OfficeStatus } from '../../src/schema/vocabulary.ts';

/** Candidates of a posting by status (interface specification, 2.6), and the posting's office. */
export interface PostingTabs {
  /** Null until the posting is known. */
  readonly officeId: string | null;
  readonly counts: Readonly<Record<OfficeStatus, number>>;
}

export const noCandidates: PostingTabs['counts'] = {
  applied: 0,
  scheduled: 0,
  interviewed: 0,
  hired: 0,
  rejected: 0,
};

export const tabsOfPosting = defineCollection<PostingTabs>({
  name: 'posting_tabs',
  partition: 'id',
  indexes: [],
});

/** Moves a candidate from its tab, if any, to another. */
export const countInTabs = (
  before: OfficeStatus | undefined,
  { postingId, officeStatus }: { readonly postingId: string; readonly officeStatus: OfficeStatus },
  documents: Documents,
): void => {
  if (before === officeStatus) return;
  const tabs = documents.get(tabsOfPosting, postingId);
  const counts = { ...(tabs?.counts ?? noCandidates) };
  if (before) counts[before]--;
  counts[officeStatus]++;
  documents.put(tabsOfPosting, postingId, { officeId: tabs?.officeId ?? null, counts });
};

/** Sets the office of the posting. */
export const setOfficeOfTabs = (
  postingId: string,
  officeId: string | undefined,
  documents: Documents,
): void => {
  const tabs = documents.get(tabsOfPosting, postingId);
  if (officeId === undefined || tabs?.officeId === officeId) return;
  documents.put(tabsOfPosting, postingId, { officeId, counts: tabs?.counts ?? noCandidates });
};

/** Candidates with some statuses, or all. */
export const totalOf = (
  counts: PostingTabs['counts'] = noCandidates,
  statuses: readonly OfficeStatus[] = officeStatuses,
): number => statuses.reduce((sum, status) => sum + counts[status], 0);
