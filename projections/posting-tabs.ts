import type { Candidate } from '../src/domain/candidate.ts';
import type { Projection } from '../src/projection.ts';
import { defineCollection } from '../src/read-models/port.ts';
import { officeStatuses, type OfficeStatus } from '../src/vocabulary.ts';
import { candidateHandlers } from './parts/candidates.ts';
import { viewOf, type Shown } from './parts/view.ts';

/** How many candidates of a posting stand where, and whose posting it is. */
export interface PostingTabs {
  /** Null until the posting is known. */
  readonly officeId: string | null;
  readonly counts: Readonly<Record<OfficeStatus, number>>;
}
const none: PostingTabs['counts'] = { applied: 0, scheduled: 0, interviewed: 0, hired: 0, rejected: 0 };

export const tabsOfPosting = defineCollection<PostingTabs>({
  name: 'posting_tabs',
  partition: 'id',
  columns: [],
  indexes: [],
});

interface Counted extends Shown<Candidate> {
  readonly officeStatus: OfficeStatus;
}
const counted = defineCollection<Counted>({
  name: 'posting_tabs_candidates',
  partition: 'id',
  columns: [],
  indexes: [],
});

const view = viewOf<Candidate, Counted>(
  counted,
  (_id, own) => Promise.resolve({ own, officeStatus: own.officeStatus }),
  async (before, after, documents) => {
    if (!after || before?.officeStatus === after.officeStatus) return;
    const { postingId } = after.own;
    const tabs = await documents.get(tabsOfPosting, postingId);
    const counts = { ...(tabs?.counts ?? none) };
    if (before) counts[before.officeStatus]--;
    counts[after.officeStatus]++;
    documents.put(tabsOfPosting, postingId, { officeId: tabs?.officeId ?? null, counts });
  },
);

/** The tab counts of a posting (interface specification, 2.6). */
export const postingTabs: Projection = {
  name: 'posting-tabs',
  version: 1,
  collections: [tabsOfPosting, counted],
  handlers: {
    ...candidateHandlers(view),
    async PostingRecorded({ data: { postingId, officeId } }, documents) {
      const tabs = await documents.get(tabsOfPosting, postingId);
      documents.put(tabsOfPosting, postingId, { officeId, counts: tabs?.counts ?? none });
    },
  },
};

/** The candidates of some statuses, all when none are named. */
export const totalOf = (
  counts: PostingTabs['counts'],
  statuses: readonly OfficeStatus[] = officeStatuses,
): number => statuses.reduce((sum, status) => sum + counts[status], 0);
