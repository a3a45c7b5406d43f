import type { ReplayProjection } from '../../src/history/replay/projection.ts';
import { daysBetween, greatest, median, valueOf } from './numbers.ts';

/** How long does it take from an application to the hire, by the profession of the posting? */

interface State {
  /** By posting. */
  readonly professions: Map<string, string>;
  /** By candidate, until it is hired. */
  readonly appliedAt: Map<string, string>;
  readonly hires: { readonly postingId: string; readonly days: number }[];
}

export default {
  init: () => ({ professions: new Map(), appliedAt: new Map(), hires: [] }),
  handlers: {
    PostingRecorded({ data }, { professions }) {
      professions.set(data.postingId, data.profession);
    },
    CandidateApplied({ data, metadata }, { appliedAt }) {
      appliedAt.set(data.candidateId, metadata.recordedAt);
    },
    CandidateHired({ data: { candidateId, postingId }, metadata }, { appliedAt, hires }) {
      const applied = appliedAt.get(candidateId);
      if (applied !== undefined) hires.push({ postingId, days: daysBetween(applied, metadata.recordedAt) });
      appliedAt.delete(candidateId);
    },
  },
  *rows({ professions, hires }) {
    const days = new Map<string, number[]>();
    for (const hire of hires) valueOf(days, professions.get(hire.postingId) ?? 'unknown', () => []).push(hire.days);
    for (const [profession, each] of days)
      yield { profession, hires: each.length, medianDays: median(each), longestDays: greatest(each) };
  },
} satisfies ReplayProjection<State>;
