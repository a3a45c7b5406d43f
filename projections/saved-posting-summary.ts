import type { Projection } from '../src/projection.ts';
import { defineCollection } from '../src/read-models/port.ts';
import { commuteOf } from './parts/commute.ts';
import { peopleHandlers, peopleOf } from './parts/people.ts';
import { officeHandlers, officesOf, postingHandlers, postingsOf } from './parts/postings.ts';
import { saveHandlers, type Save } from './parts/saves.ts';
import { viewOf, type Shown } from './parts/view.ts';

/** How many saved postings are within so many miles by road, cumulative (interface specification, 2.7). */
export interface SavedPostingSummary {
  readonly within50MilesCount: number;
  readonly within100MilesCount: number;
  readonly within150MilesCount: number;
  readonly within200MilesCount: number;
}
export const emptySummary: SavedPostingSummary = {
  within50MilesCount: 0,
  within100MilesCount: 0,
  within150MilesCount: 0,
  within200MilesCount: 0,
};

export const summaryOfProfessional = defineCollection<SavedPostingSummary>({
  name: 'saved_posting_summaries',
  partition: 'id',
  columns: [],
  indexes: [],
});

interface Distance extends Shown<Save> {
  readonly professionalId: string;
  readonly postingId: string;
  readonly officeId: string | null;
  /** Miles; null while it is not known, and then counted nowhere. */
  readonly roadDistance: number | null;
}

const people = peopleOf('saved_posting_summary');
const postings = postingsOf('saved_posting_summary');
const offices = officesOf('saved_posting_summary');
const distances = defineCollection<Distance>({
  name: 'saved_posting_distances',
  partition: 'professionalId',
  columns: ['professionalId', 'postingId', 'officeId'],
  indexes: [['professionalId'], ['postingId'], ['officeId']],
});

const plus = (
  summary: SavedPostingSummary,
  distance: Distance | undefined,
  by: 1 | -1,
): SavedPostingSummary => {
  const miles = distance?.roadDistance ?? Infinity;
  const within = (limit: number) => (miles <= limit ? by : 0);
  return {
    within50MilesCount: summary.within50MilesCount + within(50),
    within100MilesCount: summary.within100MilesCount + within(100),
    within150MilesCount: summary.within150MilesCount + within(150),
    within200MilesCount: summary.within200MilesCount + within(200),
  };
};

const view = viewOf<Save, Distance>(
  distances,
  async (_id, own, documents) => {
    const { professionalId, postingId } = own;
    const person = await documents.get(people.people, professionalId);
    const officeId = (await documents.get(postings, postingId))?.facts?.officeId ?? null;
    const office = officeId === null ? undefined : await documents.get(offices, officeId);
    const roadDistance = commuteOf(person, office, own.measured)?.road.roadDistance ?? null;
    return { own, professionalId, postingId, officeId, roadDistance };
  },
  async (before, after, documents) => {
    const id = (after ?? before)?.professionalId;
    if (id === undefined || before?.roadDistance === after?.roadDistance) return;
    const summary = (await documents.get(summaryOfProfessional, id)) ?? emptySummary;
    documents.put(summaryOfProfessional, id, plus(plus(summary, before, -1), after, 1));
  },
);

/** The saved-postings summary of a professional. */
export const savedPostingSummary: Projection = {
  name: 'saved-posting-summary',
  version: 1,
  collections: [summaryOfProfessional, distances, people.people, people.phones, postings, offices],
  handlers: {
    ...saveHandlers(view),
    ...peopleHandlers(people, (id, documents) => view.refreshAll('professionalId', id, documents)),
    ...postingHandlers(postings, (id, documents) => view.refreshAll('postingId', id, documents)),
    ...officeHandlers(offices, (id, documents) => view.refreshAll('officeId', id, documents)),
  },
};
