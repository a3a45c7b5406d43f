import type { ProjectionDocuments } from '../../src/projector/projection.ts';
import { defineCollection } from '../../src/read-models/port.ts';
import { officeStatuses, type CandidateOfficeStatus } from '../../src/schema/vocabulary.ts';

/** Candidates of a posting by status (interface specification, 2.6), and the posting's office. */
export interface PostingTabs {
  /** Null until the posting is known. */
  readonly officeId: string | null;
  readonly counts: Readonly<Record<CandidateOfficeStatus, number>>;
}

export const zeroTabCounts: PostingTabs['counts'] = { applied: 0, scheduled: 0, interviewed: 0, hired: 0, rejected: 0 };

export const postingTabsCollection = defineCollection<PostingTabs>({
  name: 'posting_tabs',
  partition: 'id',
  indexes: [],
});

/** Moves a candidate from its tab, if any, to another. */
export const updateTabCounts = (
  before: CandidateOfficeStatus | undefined,
  { postingId, officeStatus }: { readonly postingId: string; readonly officeStatus: CandidateOfficeStatus },
  documents: ProjectionDocuments,
): void => {
  if (before === officeStatus) return;
  const tabs = documents.get(postingTabsCollection, postingId);
  const counts = { ...(tabs?.counts ?? zeroTabCounts) };
  if (before) counts[before]--;
  counts[officeStatus]++;
  documents.put(postingTabsCollection, postingId, { officeId: tabs?.officeId ?? null, counts });
};

export const setOfficeOfTabs = (
  postingId: string,
  officeId: string | undefined,
  documents: ProjectionDocuments,
): void => {
  const tabs = documents.get(postingTabsCollection, postingId);
  if (officeId === undefined || tabs?.officeId === officeId) return;
  documents.put(postingTabsCollection, postingId, { officeId, counts: tabs?.counts ?? zeroTabCounts });
};

/** Candidates with some statuses, or all. */
export const sumTabCounts = (
  counts: PostingTabs['counts'] = zeroTabCounts,
  statuses: readonly CandidateOfficeStatus[] = officeStatuses,
): number => statuses.reduce((sum, status) => sum + counts[status], 0);
