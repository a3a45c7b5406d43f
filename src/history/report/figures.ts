import type { HiringStatus } from '../../schema/vocabulary.ts';
import type { HourCounts } from './durations.ts';
import type { Cell } from './places.ts';
import type { OpenState, Step } from './posting-story.ts';

export interface FunnelStep {
  readonly step: Step;
  /** Applications that reached it. */
  readonly all: number;
  /** Those of them whose posting the professional had saved before applying. */
  readonly savedFirst: number;
}

/** How long applications stayed in one state. */
export interface StateTimes {
  readonly state: OpenState;
  /** Of the stays that are over. */
  readonly hours: HourCounts;
  /** How many applications are still in it. */
  readonly lasting: number;
}

export interface Week {
  /** Its Monday, in UTC: 2026-03-02. */
  readonly monday: string;
  readonly applications: number;
  readonly hires: number;
}

export interface AnswerTimes {
  readonly hours: HourCounts;
  /** Applications by `answerBins`. */
  readonly applications: readonly number[];
  /** Offices by the bin of their median answer. */
  readonly offices: readonly number[];
  /** Applications without an answer: the posting is open, or was closed. */
  readonly waiting: number;
  readonly closed: number;
}

/** Applications by `distanceBins`. */
export interface Distances {
  readonly applications: readonly number[];
  readonly hires: readonly number[];
  /** Applications whose way was measured by a road router; of the others it is estimated. */
  readonly measured: number;
  /** Applications without a distance, since a place is not known. */
  readonly unknown: number;
}

/** What is derived from where professionals live. */
export interface PersonalFigures {
  readonly applicants: readonly Cell[];
  /** Applicants whose place is not known. */
  readonly withoutPlace: number;
  readonly distances: Distances;
}

export interface Figures {
  readonly postings: number;
  readonly saves: number;
  readonly applications: number;
  /** Hires in the span, whenever the application was made. */
  readonly hires: number;
  /** How applications stand at the end. */
  readonly outcomes: Readonly<Record<HiringStatus, number>>;
  readonly funnel: readonly FunnelStep[];
  readonly states: readonly StateTimes[];
  readonly weeks: readonly Week[];
  readonly answers: AnswerTimes;
  readonly postingPlaces: readonly Cell[];
  /** Postings whose office has no known place. */
  readonly postingsWithoutPlace: number;
  /** Null where personal data is left out. */
  readonly personal: PersonalFigures | null;
}
