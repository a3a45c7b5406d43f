import { candidate, type CandidateState } from '../../domain/candidate.ts';
import type { Ends } from '../../domain/commute.ts';
import type { DomainEvent } from '../../domain/index.ts';
import type { Position } from '../../event-store/port.ts';
import type { HiringStatus, PostingFacts } from '../../schema/vocabulary.ts';

/** When an event was recorded, in milliseconds since 1970, and where it stands in the event log. */
export interface When {
  readonly position: Position;
  readonly at: number;
}

/** The states in which an application waits for the office. */
export const openStates = ['applied', 'scheduled', 'interviewed'] as const;
export type OpenState = (typeof openStates)[number];

/** What an application can reach on its way. */
export const steps = ['applied', 'scheduled', 'interviewed', 'hired'] as const;
export type Step = (typeof steps)[number];

/** A time in one state, which ends with another state or with the posting. */
export interface Stay {
  readonly state: OpenState;
  readonly from: When;
  /** Null while it lasts. */
  readonly until: When | null;
}

export interface Application {
  readonly professionalId: string;
  readonly applied: When;
  /** The office's first change of the application; shortlisting is none. */
  readonly answered: When | null;
  readonly hired: When | null;
  readonly reached: ReadonlySet<Step>;
  readonly outcome: HiringStatus;
  readonly stays: readonly Stay[];
}

/** A way that a road router measured. */
export interface MeasuredWay extends Ends {
  readonly miles: number;
}

/** The first and the last time that a professional saved a posting. */
export interface Save {
  readonly first: When;
  readonly last: When;
}

export interface PostingStory {
  /** Null where the rest of the business never told of it. */
  readonly facts: PostingFacts | null;
  readonly closed: When | null;
  /** By professional. */
  readonly saves: ReadonlyMap<string, Save>;
  readonly ways: ReadonlyMap<string, MeasuredWay>;
  readonly applications: readonly Application[];
}

/** The types of events that tell of a posting, beside those of its commutes, which are personal. */
export const storyTypes = [
  'PostingRecorded',
  'PostingClosed',
  'PostingSaved',
  ...candidate.events.map(({ type }) => type),
] as const;
export type StoryEvent = Extract<
  DomainEvent,
  { readonly type: (typeof storyTypes)[number] | 'CommuteMeasured' }
>;

export const isStoryEvent = (event: DomainEvent): event is StoryEvent =>
  event.type === 'CommuteMeasured' || storyTypes.some((type) => type === event.type);

/** An application as its events are applied. */
interface Draft {
  state: CandidateState;
  answered: When | null;
  hired: When | null;
  applied: When | undefined;
  readonly reached: Set<Step>;
  readonly stays: Stay[];
}

const openStateOf = (state: CandidateState): OpenState | undefined =>
  openStates.find((each) => state?.hiringStatus === 'open' && state.officeStatus === each);

const endStay = ({ stays }: Draft, until: When): void => {
  const last = stays.at(-1);
  if (last && last.until === null) stays[stays.length - 1] = { ...last, until };
};

/** Applies an event to an application. @throws where the event cannot stand there */
const applyTo = (draft: Draft, event: Parameters<typeof candidate.evolve>[1], when: When): void => {
  const before = draft.state;
  const after = candidate.evolve(before, event);
  draft.state = after;
  draft.applied ??= when;
  if (!after || after.officeStatus === before?.officeStatus) return;
  if (before) draft.answered ??= when;
  if (after.officeStatus !== 'rejected') draft.reached.add(after.officeStatus);
  if (after.officeStatus === 'hired') draft.hired = when;
  endStay(draft, when);
  const state = openStateOf(after);
  if (state) draft.stays.push({ state, from: when, until: null });
};

/**
 * A stay until the posting was closed: nothing waits any more then. The time counts, since the order of events of
 * different streams is another one in a copy of the event log.
 */
const untilClosed =
  (closed: When | null) =>
  (stay: Stay): readonly Stay[] => {
    if (!closed || (stay.until && stay.until.at <= closed.at)) return [stay];
    return stay.from.at <= closed.at ? [{ ...stay, until: closed }] : [];
  };

const toApplication = (
  { state, applied, answered, hired, reached, stays: all }: Draft,
  closed: When | null,
): readonly Application[] => {
  if (!state || !applied) return [];
  const { professionalId, hiringStatus } = state;
  const outcome = closed && hiringStatus === 'open' ? 'closed' : hiringStatus;
  const stays = all.flatMap(untilClosed(closed));
  return [{ professionalId, applied, answered, hired, reached, outcome, stays }];
};

/** The story of one posting as its events are applied, in the event log's order; it begins before the first event. */
export const beginStory = () => {
  let facts: PostingFacts | null = null;
  let closed: When | null = null;
  const saves = new Map<string, Save>();
  const ways = new Map<string, MeasuredWay>();
  const drafts = new Map<string, Draft>();
  const draftOf = (id: string): Draft => {
    const known = drafts.get(id);
    if (known) return known;
    const draft: Draft = {
      state: candidate.initialState,
      answered: null,
      hired: null,
      applied: undefined,
      reached: new Set(),
      stays: [],
    };
    drafts.set(id, draft);
    return draft;
  };

  return {
    /** @throws for an event that cannot follow those before */
    apply(event: StoryEvent, when: When): void {
      switch (event.type) {
        case 'PostingRecorded': {
          const { postingId: _id, ...rest } = event.data;
          facts = rest;
          return;
        }
        case 'PostingClosed':
          closed ??= when;
          return;
        case 'PostingSaved': {
          const { professionalId } = event.data;
          saves.set(professionalId, { first: saves.get(professionalId)?.first ?? when, last: when });
          return;
        }
        case 'CommuteMeasured': {
          const { professionalId, from, to, roadDistance: miles } = event.data;
          ways.set(professionalId, { from, to, miles });
          return;
        }
        case 'CandidateApplied':
        case 'InterviewScheduled':
        case 'InterviewMoved':
        case 'InterviewCancelled':
        case 'InterviewHeld':
        case 'CandidateHired':
        case 'CandidateRejected':
        case 'CandidateShortlistChanged':
          applyTo(draftOf(event.data.candidateId), event, when);
      }
    },
    result: (): PostingStory => ({
      facts,
      closed,
      saves,
      ways,
      applications: [...drafts.values()].flatMap((draft) => toApplication(draft, closed)),
    }),
  };
};
