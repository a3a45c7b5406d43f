import { estimateRoad, greatCircle } from '../../domain/commute.ts';
import type { Coordinates } from '../../domain/saved-postings.ts';
import type { Position } from '../../event-store/port.ts';
import { answerBins, binOf, distanceBins } from './bins.ts';
import { countHours, hoursBetween } from './durations.ts';
import type { Figures, Week } from './figures.ts';
import { beginCells } from './places.ts';
import {
  openStates,
  steps,
  type Application,
  type MeasuredWay,
  type PostingStory,
  type Stay,
  type When,
} from './posting-story.ts';

/** Where offices are, and professionals where that may be read. */
export interface KnownPlaces {
  /** By office. */
  readonly offices: ReadonlyMap<string, Coordinates>;
  /** By professional; null where personal data is left out. */
  readonly professionals: ReadonlyMap<string, Coordinates> | null;
}

/** What a report counts. */
export interface Counted {
  /** Only what happened after it. */
  readonly after: Position;
  /** Of the posting; undefined: any. */
  readonly profession?: string | undefined;
  readonly state?: string | undefined;
}

/** Degrees; about seven miles from north to south: small enough to tell the state. */
const CELL = 0.1;

const DAY_MS = 86_400_000;
/** The first Thursday of 1970 was its first day. */
const DAYS_FROM_MONDAY = 3;

const mondayOf = (at: number): string => {
  const day = Math.floor(at / DAY_MS);
  const weekday = (((day + DAYS_FROM_MONDAY) % 7) + 7) % 7;
  return new Date((day - weekday) * DAY_MS).toISOString().slice(0, 'yyyy-mm-dd'.length);
};

const increase = (counts: number[], at: number): void => {
  counts[at] = (counts[at] ?? 0) + 1;
};

const zeros = (count: number): number[] => Array.from({ length: count }, () => 0);

/** The bin that the middle one of some values lies in. */
const medianBin = (counts: readonly number[]): number => {
  const half = counts.reduce((sum, count) => sum + count, 0) / 2;
  let seen = 0;
  return counts.findIndex((count) => (seen += count) >= half && count > 0);
};

const isSamePlace = (a: Coordinates, b: Coordinates): boolean =>
  a.latitude === b.latitude && a.longitude === b.longitude;

/** Miles along roads, as a router measured them between these places, or estimated. */
const milesBetween = (from: Coordinates, to: Coordinates, way: MeasuredWay | undefined) => {
  const isMeasured = way !== undefined && isSamePlace(way.from, from) && isSamePlace(way.to, to);
  return { isMeasured, miles: isMeasured ? way.miles : estimateRoad(greatCircle(from, to)).roadDistance };
};

/** Whether a posting is one of those that a report is about. */
const isAbout = ({ facts }: PostingStory, { profession, state }: Counted): boolean =>
  (profession === undefined || facts?.profession === profession) &&
  (state === undefined || facts?.state?.toUpperCase() === state.toUpperCase());

const countWeeks = () => {
  const weeks = new Map<string, { applications: number; hires: number }>();
  return {
    add(at: number, what: 'applications' | 'hires'): void {
      const monday = mondayOf(at);
      const week = weeks.get(monday) ?? { applications: 0, hires: 0 };
      weeks.set(monday, { ...week, [what]: week[what] + 1 });
    },
    all: (): readonly Week[] =>
      [...weeks]
        .map(([monday, week]) => ({ monday, ...week }))
        .sort((a, b) => (a.monday < b.monday ? -1 : 1)),
  };
};

/** Adds up stories of postings, one after another. */
export const beginTally = (counted: Counted, places: KnownPlaces) => {
  const isCounted = (when: When): boolean => when.position > counted.after;
  let [postings, saves, applications, hires] = [0, 0, 0, 0];
  const outcomes = { hired: 0, rejected: 0, closed: 0, open: 0 };
  const funnel = steps.map((step) => ({ step, all: 0, savedFirst: 0 }));
  const states = openStates.map((state) => ({ state, hours: new Map<number, number>(), lasting: 0 }));
  const weeks = countWeeks();
  const answerHours = new Map<number, number>();
  const answerCounts = zeros(answerBins.length);
  const answersOfOffices = new Map<string, number[]>();
  let [waiting, closedUnanswered] = [0, 0];
  const postingCells = beginCells(CELL);
  let postingsWithoutPlace = 0;
  const applicants = new Set<string>();
  const distances = {
    applications: zeros(distanceBins.length),
    hires: zeros(distanceBins.length),
    measured: 0,
    unknown: 0,
  };

  const addToFunnel = ({ saves: saved }: PostingStory, { professionalId, applied, reached }: Application) => {
    const first = saved.get(professionalId)?.first;
    const isSavedFirst = first !== undefined && first.position < applied.position;
    for (const each of funnel)
      if (reached.has(each.step)) {
        each.all++;
        if (isSavedFirst) each.savedFirst++;
      }
  };

  const addAnswer = ({ facts }: PostingStory, { applied, answered, outcome }: Application) => {
    if (!answered) {
      if (outcome === 'closed') closedUnanswered++;
      else waiting++;
      return;
    }
    const hours = hoursBetween(applied.at, answered.at);
    const bin = binOf(answerBins, hours);
    countHours(answerHours, hours);
    increase(answerCounts, bin);
    if (!facts) return;
    const own = answersOfOffices.get(facts.officeId) ?? zeros(answerBins.length);
    increase(own, bin);
    answersOfOffices.set(facts.officeId, own);
  };

  const addDistance = ({ facts, ways }: PostingStory, { professionalId, hired }: Application) => {
    const to = facts && places.offices.get(facts.officeId);
    const from = places.professionals?.get(professionalId);
    if (!from || !to) {
      distances.unknown++;
      return;
    }
    const { miles, isMeasured } = milesBetween(from, to, ways.get(professionalId));
    const bin = binOf(distanceBins, miles);
    increase(distances.applications, bin);
    if (hired) increase(distances.hires, bin);
    if (isMeasured) distances.measured++;
  };

  const addStay = ({ state, from, until }: Stay) => {
    const times = states.find((each) => each.state === state);
    if (!times || !isCounted(from)) return;
    if (until) countHours(times.hours, hoursBetween(from.at, until.at));
    else times.lasting++;
  };

  const addApplication = (story: PostingStory, application: Application) => {
    const { professionalId, applied, hired, outcome, stays } = application;
    if (hired && isCounted(hired)) {
      hires++;
      weeks.add(hired.at, 'hires');
    }
    for (const stay of stays) addStay(stay);
    if (!isCounted(applied)) return;
    applications++;
    outcomes[outcome]++;
    weeks.add(applied.at, 'applications');
    addToFunnel(story, application);
    addAnswer(story, application);
    if (!places.professionals) return;
    applicants.add(professionalId);
    addDistance(story, application);
  };

  const placesOfApplicants = (professionals: ReadonlyMap<string, Coordinates>) => {
    const cells = beginCells(CELL);
    let withoutPlace = 0;
    for (const id of applicants) {
      const place = professionals.get(id);
      if (place) cells.add(place);
      else withoutPlace++;
    }
    return { applicants: cells.all(), withoutPlace };
  };

  return {
    add(story: PostingStory): void {
      if (!isAbout(story, counted)) return;
      const isOver = story.closed !== null && !isCounted(story.closed);
      if (!isOver) {
        postings++;
        const place = story.facts && places.offices.get(story.facts.officeId);
        if (place) postingCells.add(place);
        else postingsWithoutPlace++;
      }
      for (const { last } of story.saves.values()) if (isCounted(last)) saves++;
      for (const application of story.applications) addApplication(story, application);
    },
    figures(): Figures {
      const offices = zeros(answerBins.length);
      for (const counts of answersOfOffices.values()) increase(offices, medianBin(counts));
      return {
        postings,
        saves,
        applications,
        hires,
        outcomes,
        funnel,
        states,
        weeks: weeks.all(),
        answers: {
          hours: answerHours,
          applications: answerCounts,
          offices,
          waiting,
          closed: closedUnanswered,
        },
        postingPlaces: postingCells.all(),
        postingsWithoutPlace,
        personal: places.professionals && { ...placesOfApplicants(places.professionals), distances },
      };
    },
  };
};
