import fc from 'fast-check';
import { candidateDecider, type CandidateState } from '../../src/domain/candidate.ts';
import { officeDecider } from '../../src/domain/office.ts';
import { postingDecider } from '../../src/domain/posting.ts';
import { professionalDecider } from '../../src/domain/professional.ts';
import { reviewDecider } from '../../src/domain/review.ts';
import { savedPostingsDecider } from '../../src/domain/saved-postings.ts';
import { specialtyDecider } from '../../src/domain/specialty.ts';
import { userDecider } from '../../src/domain/user.ts';
import type { WebhookSubscription } from '../../src/streams/webhooks.ts';
import type { Decider } from '../../src/streams/decider.ts';
import type { EventDefinition } from '../../src/streams/events.ts';
import { OnboardingStatus, officeStatuses } from '../../src/schema/vocabulary.ts';
import { candidateStreams } from '../history/candidates.ts';
import { officeStreams, postingStreams, professionalStreams } from '../history/facts.ts';
import { reviewStreams, savedPostingStreams, specialtyStreams, userStreams } from '../history/lists.ts';
import { ids } from '../history/streams.ts';
import type { StreamHistory } from '../support/history.ts';
import { stateOf } from './deciding.ts';

/** The moments at which each command can come: its stream's state, and what `prepare` makes of a request. */

interface Stand<State> {
  readonly id: string;
  readonly state: State;
}

/** A stream of one category, at any point of its life. */
const standsOf = <State, D extends readonly EventDefinition[]>(
  decider: Decider<State, D>,
  streams: fc.Arbitrary<readonly StreamHistory[]>,
): fc.Arbitrary<Stand<State>> =>
  fc.tuple(streams, fc.nat()).map(([histories, number]) => {
    // As a store returns it: fast-check's records have no prototype.
    const stored = JSON.parse(JSON.stringify(histories)) as readonly StreamHistory[];
    const chosen = stored[number % Math.max(1, stored.length)];
    const id = chosen?.stream.slice(decider.category.length + 1) ?? 'new';
    return { id, state: stateOf(decider, chosen) };
  });

const present = <T>(value: T | null): value is T => value !== null;
const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });

const candidateStands = standsOf(candidateDecider, candidateStreams);
const idsOf = (state: CandidateState) => ({
  postingId: state?.postingId ?? ids.postings[0],
  professionalId: state?.professionalId ?? ids.professionals[0],
});
const postingStands = standsOf(postingDecider, postingStreams);

export const applications = fc
  .tuple(candidateStands, postingStands, fc.constantFrom('resume-1', 'resume-2'))
  .map(([{ id, state }, { state: of }, resumeId]) => ({
    state,
    input: { id, ...idsOf(state), resumeId, posting: of },
  }));

const interviewTime = fc.constantFrom('2026-04-01T10:00:00.000Z', '2026-04-03T10:00:00.000Z');

export const candidateChanges = fc
  .tuple(
    candidateStands,
    fc.boolean(),
    optional(fc.constantFrom(...officeStatuses)),
    optional(fc.boolean()),
    interviewTime,
  )
  .map(([{ id, state }, isPostingClosed, officeStatus, isShortlisted, time]) => ({
    state,
    input: {
      id,
      postingId: idsOf(state).postingId,
      isPostingClosed,
      officeStatus,
      isShortlisted,
      interviewAt: officeStatus === 'scheduled' ? time : undefined,
      newInterviewId: 'interview-new',
    },
  }));

const officeStands = standsOf(officeDecider, officeStreams);
export const offices = fc
  .tuple(officeStands, officeStands.map(({ state }) => state).filter(present))
  .map(([{ id, state }, facts]) => ({ state, input: { id, facts } }));

export const postings = fc
  .tuple(postingStands, postingStands.map(({ state }) => state.facts).filter(present))
  .map(([{ id, state }, facts]) => ({ state, input: { id, facts } }));

export const closings = postingStands.map(({ id, state }) => ({ state, input: { id } }));

const professionalStands = standsOf(professionalDecider, professionalStreams);
export const professionals = fc
  .tuple(professionalStands, professionalStands.map(({ state }) => state.profile).filter(present))
  .map(([{ id, state }, profile]) => ({ state, input: { id, profile } }));

export const onboardingSteps = fc
  .tuple(professionalStands, fc.constantFrom(...OnboardingStatus.enum))
  .map(([{ id, state }, status]) => ({ state, input: { id, status } }));

const reviewStands = standsOf(reviewDecider, reviewStreams);
export const reviews = fc
  .tuple(reviewStands, reviewStands.map(({ state }) => state).filter(present))
  .map(([{ id, state }, facts]) => ({ state, input: { id, facts } }));

export const listActs = fc
  .tuple(standsOf(savedPostingsDecider, savedPostingStreams), fc.constantFrom(...ids.postings))
  .map(([{ id, state }, postingId]) => ({ state, input: { id, postingId } }));

const specialtyStands = standsOf(specialtyDecider, specialtyStreams);
export const specialties = fc
  .tuple(specialtyStands, specialtyStands.map(({ state }) => state.facts).filter(present))
  .map(([{ id, state }, facts]) => ({ state, input: { id, facts } }));

export const procedureOrders = specialtyStands.chain(({ id, state }) =>
  fc
    .shuffledSubarray([...state.order], { minLength: state.order.length })
    .map((procedureIds) => ({ state, input: { id, procedureIds } })),
);

const userStands = standsOf(userDecider, userStreams);
export const settings = fc
  .tuple(userStands, userStands.map(({ state }) => state.settings).filter(present), fc.boolean(), fc.boolean())
  .map(([{ id, state }, { contractor, employee, ...week }, hasContractor, hasEmployee]) => ({
    state,
    // `prepare` refuses a classification that is null.
    input: {
      id,
      settings: {
        ...week,
        ...(hasContractor && contractor !== null ? { contractor } : {}),
        ...(hasEmployee && employee !== null ? { employee } : {}),
      },
    },
  }));

const subscription: WebhookSubscription = {
  url: 'https://hooks.example.com/',
  sealedQuery: null,
  types: ['OfficeRecorded'],
  createdAt: '2026-03-02T09:00:00.000Z',
  generation: 0,
  rotatedAt: null,
  includesPersonalData: false,
  replays: 0,
  lastReplays: [],
};
export const personalDataSettings = fc
  .boolean()
  .map((isIncluded) => ({
    state: new Map([['webhook-1', subscription]]),
    input: { id: 'back-office', webhookId: 'webhook-1', isIncluded, act: undefined },
  }));
