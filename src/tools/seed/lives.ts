import type { Several } from './random.ts';

/** What an office does with a candidate. */
export type Turn =
  | 'shortlist'
  | 'unlist'
  | 'schedule'
  | 'reschedule'
  | 'cancel'
  | 'hold'
  | 'hire'
  | 'reject'
  | 'review'
  | 'review-again';

/**
 * What becomes of an application, and how often. The first candidates of the first posting live these in turn, and the
 * first eight of them end in every state there is.
 */
export const lives: Several<{ readonly share: number; readonly turns: readonly Turn[] }> = [
  { share: 30, turns: [] },
  { share: 9, turns: ['schedule'] },
  { share: 8, turns: ['schedule', 'hold'] },
  { share: 5, turns: ['shortlist', 'schedule', 'hold', 'hire', 'review', 'review-again'] },
  { share: 12, turns: ['reject'] },
  { share: 5, turns: ['schedule', 'cancel'] },
  { share: 8, turns: ['shortlist'] },
  { share: 4, turns: ['shortlist', 'schedule', 'reschedule'] },
  { share: 6, turns: ['schedule', 'hold', 'hire', 'review'] },
  { share: 4, turns: ['schedule', 'hold', 'reject'] },
  { share: 2, turns: ['schedule', 'cancel', 'reject'] },
  { share: 3, turns: ['hold'] },
  { share: 2, turns: ['shortlist', 'unlist', 'reject'] },
  { share: 2, turns: ['hold', 'schedule', 'hold', 'hire'] },
];
