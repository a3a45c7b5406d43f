import { START } from '../../event-store/port.ts';
import type { Coordinates } from '../../domain/saved-postings.ts';
import { countHours, hoursBetween } from './durations.ts';
import type { Figures } from './figures.ts';
import type { EventsMeant } from '../moment/moment.ts';
import { beginCells, CELL } from './places.ts';
import {
  openStates,
  steps,
  type Application,
  type PostingStory,
  type Stay,
  type When,
} from './posting-story.ts';
import { beginAnswers } from './tally-answers.ts';
import { beginPersonal } from './tally-personal.ts';
import { beginWeeks } from './tally-weeks.ts';

export interface KnownPlaces {
  /** By office. */
  readonly offices: ReadonlyMap<string, Coordinates>;
  /** By professional; null where personal data is left out. */
  readonly professionals: ReadonlyMap<string, Coordinates> | null;
}

export interface Counted {
  /** Only what happened after it; null: all. */
  readonly from: EventsMeant | null;
  /** Of the posting; undefined: any. */
  readonly profession?: string | undefined;
  readonly state?: string | undefined;
}

/** What a filter of postings can name, and whether it has found any. */
export interface PostingsFound {
  isAny: boolean;
  readonly professions: Set<string>;
  readonly states: Set<string>;
}

const isAbout = ({ facts }: PostingStory, { profession, state }: Counted): boolean =>
  (profession === undefined || facts?.profession === profession) &&
  (state === undefined || facts?.state?.toUpperCase() === state.toUpperCase());

/** By the time: the order of events of different streams is another one in a copy of the event log. */
const isSavedFirst = ({ saves }: PostingStory, { professionalId, applied }: Application): boolean => {
  const first = saves.get(professionalId)?.first;
  return first !== undefined && first.at < applied.at;
};

/** Adds up stories of postings, one after another. */
export const beginTally = (counted: Counted, { offices, professionals }: KnownPlaces) => {
  const { from } = counted;
  const since = from?.at ? Date.parse(from.at) : null;
  const isCounted = ({ at, position }: When): boolean =>
    since === null ? position > (from?.position ?? START) : at > since;
  const totals = { postings: 0, saves: 0, applications: 0, hires: 0, postingsWithoutPlace: 0 };
  const outcomes = { hired: 0, rejected: 0, closed: 0, open: 0 };
  const funnel = steps.map((step) => ({ step, all: 0, savedFirst: 0 }));
  const states = openStates.map((state) => ({ state, hours: new Map<number, number>(), lasting: 0 }));
  const weeks = beginWeeks();
  const answers = beginAnswers();
  const postingPlaces = beginCells(CELL);
  const personal = professionals && beginPersonal(professionals);

  const found: PostingsFound = { isAny: false, professions: new Set(), states: new Set() };

  const addStay = ({ state, from, until }: Stay): void => {
    const times = states.find((each) => each.state === state);
    if (!times || !isCounted(from)) return;
    if (until) countHours(times.hours, hoursBetween(from.at, until.at));
    else times.lasting++;
  };

  const addToFunnel = (story: PostingStory, application: Application): void => {
    const savedFirst = isSavedFirst(story, application) ? 1 : 0;
    for (const each of funnel)
      if (application.reached.has(each.step)) {
        each.all++;
        each.savedFirst += savedFirst;
      }
  };

  const addApplication = (story: PostingStory, application: Application, office: Coordinates | undefined) => {
    const { professionalId, applied, hired, outcome, stays } = application;
    for (const stay of stays) addStay(stay);
    if (hired && isCounted(hired)) {
      totals.hires++;
      weeks.add(hired.at, 'hires');
    }
    if (!isCounted(applied)) return;
    totals.applications++;
    outcomes[outcome]++;
    weeks.add(applied.at, 'applications');
    addToFunnel(story, application);
    answers.add(application, story.facts?.officeId);
    personal?.add(application, office, story.ways.get(professionalId));
  };

  return {
    found,
    add(story: PostingStory): void {
      if (story.facts) found.professions.add(story.facts.profession);
      if (story.facts?.state) found.states.add(story.facts.state);
      if (!isAbout(story, counted)) return;
      found.isAny = true;
      const office = story.facts ? offices.get(story.facts.officeId) : undefined;
      if (!story.closed || isCounted(story.closed)) {
        totals.postings++;
        if (office) postingPlaces.add(office);
        else totals.postingsWithoutPlace++;
      }
      for (const { last } of story.saves.values()) if (isCounted(last)) totals.saves++;
      for (const application of story.applications) addApplication(story, application, office);
    },
    figures: (): Figures => ({
      ...totals,
      outcomes,
      funnel,
      states,
      weeks: weeks.figures(),
      answers: answers.figures(),
      postingPlaces: postingPlaces.all(),
      personal: personal && personal.figures(),
    }),
  };
};
