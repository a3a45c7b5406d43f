import { Type } from '../schema/typebox.ts';
import { v5 } from 'uuid';
import { defineEvent, type Metadata } from '../streams/events.ts';
import type { Decider } from '../streams/decider.ts';
import { Identifier, Timestamp } from '../schema/schema.ts';
import type {
  CandidateHiringStatus,
  CandidateOfficeStatus,
  CandidateProfessionalStatus,
} from '../schema/vocabulary.ts';

const NAMESPACE = 'b0a6a5a4-3d0e-4f6e-9f43-6f0d3c1d7a52';

/** One application per professional and posting (decisions, Values). */
export const candidateIdOf = (postingId: string, professionalId: string): string =>
  v5(`${postingId}/${professionalId}`, NAMESPACE);

const ids = { candidateId: Identifier, postingId: Identifier, professionalId: Identifier };
const interview = { ...ids, interviewId: Identifier };
const interviewAt = { ...Timestamp, description: 'When the interview is to take place.' };

export const candidateEvents = [
  defineEvent('CandidateApplied', 'A professional applied to a posting.', {
    ...ids,
    resumeId: { ...Identifier, description: 'The resume of the application; another system has it.' },
  }),
  defineEvent('InterviewScheduled', 'The office invited the candidate to an interview.', { ...interview, interviewAt }),
  defineEvent('InterviewMoved', 'The interview got another time.', { ...interview, interviewAt }),
  defineEvent('InterviewCancelled', 'The interview was called off.', interview),
  defineEvent('InterviewHeld', 'The interview took place.', interview),
  defineEvent('CandidateHired', 'The office hired the candidate.', ids),
  defineEvent('CandidateRejected', 'The office rejected the candidate.', ids),
  defineEvent('CandidateShortlistChanged', 'The office put the candidate on its shortlist, or took it off.', {
    ...ids,
    isShortlisted: Type.Boolean(),
  }),
] as const;

/** A candidate by its own stream; `applyPostingClosing` adds the posting's closing. */
export interface Candidate {
  readonly postingId: string;
  readonly professionalId: string;
  readonly resumeId: string;
  readonly appliedAt: string;
  readonly createdBy: string;
  readonly updatedAt: string;
  readonly updatedBy: string;
  readonly officeStatus: CandidateOfficeStatus;
  readonly hiringStatus: CandidateHiringStatus;
  readonly professionalStatus: CandidateProfessionalStatus;
  readonly professionalStatusUpdatedAt: string;
  readonly isShortlisted: boolean;
  /** The current interview; it stays after it was held, and goes when it is cancelled. */
  readonly interview: { readonly id: string; readonly at: string | null } | null;
  /** Scheduled or held, not cancelled. */
  readonly interviewsCount: number;
}

/** Null until the professional applied. */
export type CandidateState = Candidate | null;

const withOfficeStatus = (candidate: Candidate, officeStatus: CandidateOfficeStatus, at: string): Candidate => ({
  ...candidate,
  officeStatus,
  hiringStatus: officeStatus === 'hired' || officeStatus === 'rejected' ? officeStatus : 'open',
  professionalStatus: officeStatus === 'rejected' ? 'closed' : officeStatus,
  professionalStatusUpdatedAt: at,
});

export const candidateDecider: Decider<CandidateState, typeof candidateEvents> = {
  category: 'candidate',
  events: candidateEvents,
  initialState: null,
  evolve(state, event) {
    const { recordedAt: at, actor } = event.metadata;
    if (event.type === 'CandidateApplied') {
      const { postingId, professionalId, resumeId } = event.data;
      return {
        postingId,
        professionalId,
        resumeId,
        appliedAt: at,
        createdBy: actor,
        updatedAt: at,
        updatedBy: actor,
        officeStatus: 'applied',
        hiringStatus: 'open',
        professionalStatus: 'applied',
        professionalStatusUpdatedAt: at,
        isShortlisted: false,
        interview: null,
        interviewsCount: 0,
      };
    }
    if (!state) throw new Error(`${event.type} before CandidateApplied`);
    const touched: Candidate = { ...state, updatedAt: at, updatedBy: actor };
    switch (event.type) {
      case 'InterviewScheduled':
        return {
          ...withOfficeStatus(touched, 'scheduled', at),
          interview: { id: event.data.interviewId, at: event.data.interviewAt },
          interviewsCount: state.interviewsCount + 1,
        };
      case 'InterviewMoved':
        return { ...touched, interview: { id: event.data.interviewId, at: event.data.interviewAt } };
      case 'InterviewCancelled':
        return {
          ...withOfficeStatus(touched, 'applied', at),
          interview: null,
          interviewsCount: state.interviewsCount - 1,
        };
      case 'InterviewHeld':
        return {
          ...withOfficeStatus(touched, 'interviewed', at),
          interview: { id: event.data.interviewId, at: state.interview?.at ?? null },
          // An interview held without being scheduled here counts, too.
          interviewsCount: state.interview ? state.interviewsCount : state.interviewsCount + 1,
        };
      case 'CandidateHired':
        return withOfficeStatus(touched, 'hired', at);
      case 'CandidateRejected':
        return withOfficeStatus(touched, 'rejected', at);
      case 'CandidateShortlistChanged':
        return { ...touched, isShortlisted: event.data.isShortlisted };
    }
  },
};

export interface CandidateWithClosing extends Candidate {
  /** What the closing has changed, as the candidate's own stream has it. */
  readonly beforeClosing?: Partial<Candidate>;
}

/**
 * The candidate after its posting closed (decisions, Candidate states): an open one is closed, its office status stays.
 * The later of the closing and its own last event counts as its last update.
 */
export const applyPostingClosing = (
  state: Candidate,
  closing: Pick<Metadata, 'recordedAt' | 'actor'> | null,
): CandidateWithClosing => {
  if (!closing || state.hiringStatus !== 'open') return state;
  const { recordedAt: at, actor } = closing;
  const { hiringStatus, professionalStatus, professionalStatusUpdatedAt, updatedAt, updatedBy } = state;
  return {
    ...state,
    hiringStatus: 'closed',
    professionalStatus: 'closed',
    professionalStatusUpdatedAt: at,
    ...(at > updatedAt ? { updatedAt: at, updatedBy: actor } : {}),
    beforeClosing: { hiringStatus, professionalStatus, professionalStatusUpdatedAt, updatedAt, updatedBy },
  };
};

/** Undoes `applyPostingClosing`. */
export const undoPostingClosing = (shown: CandidateWithClosing): Candidate => {
  if (!shown.beforeClosing) return shown;
  const { beforeClosing, ...candidate } = shown;
  return { ...candidate, ...beforeClosing };
};
