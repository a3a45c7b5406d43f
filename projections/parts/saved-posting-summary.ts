import type { ProjectionDocuments } from '../../src/projector/projection.ts';
import { defineCollection } from '../../src/read-models/port.ts';

/** How many saved postings are within so many miles by road, cumulative (interface specification, 2.7). */
export interface SavedPostingSummary {
  readonly within50MilesCount: number;
  readonly within100MilesCount: number;
  readonly within150MilesCount: number;
  readonly within200MilesCount: number;
}

export const emptySavedPostingSummary: SavedPostingSummary = {
  within50MilesCount: 0,
  within100MilesCount: 0,
  within150MilesCount: 0,
  within200MilesCount: 0,
};

export const savedPostingSummariesCollection = defineCollection<SavedPostingSummary>({
  name: 'saved_posting_summaries',
  partition: 'id',
  indexes: [],
});

/** Null while not known, undefined without a saved posting: both count nowhere. */
type Miles = number | null | undefined;

const plus = (summary: SavedPostingSummary, miles: Miles, by: 1 | -1): SavedPostingSummary => {
  const within = (limit: number) => ((miles ?? Infinity) <= limit ? by : 0);
  return {
    within50MilesCount: summary.within50MilesCount + within(50),
    within100MilesCount: summary.within100MilesCount + within(100),
    within150MilesCount: summary.within150MilesCount + within(150),
    within200MilesCount: summary.within200MilesCount + within(200),
  };
};

/** Counts a saved posting at its new distance instead of the old one. */
export const updateDistanceCounts = (
  professionalId: string,
  before: Miles,
  after: Miles,
  documents: ProjectionDocuments,
): void => {
  if (before === after) return;
  const summary = documents.get(savedPostingSummariesCollection, professionalId) ?? emptySavedPostingSummary;
  documents.put(savedPostingSummariesCollection, professionalId, plus(plus(summary, before, -1), after, 1));
};
