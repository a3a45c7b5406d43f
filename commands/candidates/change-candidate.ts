import { Type } from '../../src/schema/typebox.ts';
import { officeOrAdminAccess } from '../../src/access/access.ts';
import { defineCommand, noContent } from '../../src/application/command.ts';
import { candidateDecider, type Candidate, type candidateEvents } from '../../src/domain/candidate.ts';
import { postingDecider } from '../../src/domain/posting.ts';
import { conflict, DomainError, forbidden, invalidAt, notFound } from '../../src/errors/domain-error.ts';
import type { NewEventOf } from '../../src/streams/events.ts';
import { parseTimestamp } from '../../src/schema/timestamp.ts';
import { Identifier, object, text } from '../../src/schema/schema.ts';
import { CandidateOfficeStatus } from '../../src/schema/vocabulary.ts';

/** The transitions of an open candidate (decisions, Candidate states). */
const allowedTransitions: Readonly<Record<CandidateOfficeStatus, readonly CandidateOfficeStatus[]>> = {
  applied: ['scheduled', 'interviewed', 'hired', 'rejected'],
  scheduled: ['applied', 'interviewed', 'hired', 'rejected'],
  interviewed: ['scheduled', 'hired', 'rejected'],
  hired: [],
  rejected: [],
};

interface Input {
  readonly id: string;
  readonly postingId: string;
  readonly isPostingClosed: boolean;
  readonly officeStatus: CandidateOfficeStatus | undefined;
  readonly isShortlisted: boolean | undefined;
  readonly interviewAt: string | undefined;
  /** Used if this change creates an interview. */
  readonly newInterviewId: string;
}
type CandidateEvent = NewEventOf<(typeof candidateEvents)[number]>;

/** Moves a candidate through the hiring, or on and off the shortlist. */
export const changeCandidate = defineCommand(candidateDecider)({
  name: 'changeCandidate',
  summary: 'Move or shortlist a candidate',
  method: 'PATCH',
  path: '/postings/:postingId/candidates/:candidateId',
  access: officeOrAdminAccess,
  params: object({ postingId: Identifier, candidateId: Identifier }),
  body: object({
    officeStatus: Type.Optional(CandidateOfficeStatus),
    isShortlisted: Type.Optional(Type.Boolean()),
    interviewAt: Type.Optional(
      text(64, { format: 'date-time', description: 'RFC 3339; with officeStatus scheduled, always and only then.' }),
    ),
  }),
  async prepare({ principal, params: { postingId, candidateId }, body }, { load, ports }): Promise<Input> {
    const { officeStatus, isShortlisted, interviewAt } = body;
    if (officeStatus === undefined && isShortlisted === undefined)
      throw invalidAt('body', 'must have officeStatus or isShortlisted, or both');
    if ((officeStatus === 'scheduled') !== (interviewAt !== undefined))
      throw invalidAt('body/interviewAt', 'must come with officeStatus scheduled, and only then');
    const instant = interviewAt === undefined ? undefined : parseTimestamp(interviewAt, 'body/interviewAt');
    const { facts, isClosed } = (await load(postingDecider, postingId)).state;
    if (principal.isAdmin ? !facts : !facts || facts.officeId !== principal.officeId)
      throw principal.isAdmin
        ? notFound('No posting has the id in path/postingId')
        : forbidden("The posting is not the office's");
    return {
      id: candidateId,
      postingId,
      isPostingClosed: isClosed,
      officeStatus,
      isShortlisted,
      interviewAt: instant,
      newInterviewId: ports.ids.uuid(),
    };
  },
  decide(state, input) {
    if (state?.postingId !== input.postingId)
      throw notFound('The posting has no candidate with the id in path/candidateId');
    const ids = { candidateId: input.id, postingId: state.postingId, professionalId: state.professionalId };
    const { isShortlisted } = input;
    const moves = input.officeStatus === undefined ? [] : eventsOfMove(state, input.officeStatus, input, ids);
    return isShortlisted === undefined || isShortlisted === state.isShortlisted
      ? moves
      : [...moves, { type: 'CandidateShortlistChanged', data: { ...ids, isShortlisted } }];
  },
  ...noContent,
  refusals: ['not-found', 'conflict', 'candidate-closed'],
});

const eventsOfMove = (
  state: Candidate,
  to: CandidateOfficeStatus,
  { isPostingClosed, interviewAt = '', newInterviewId }: Input,
  ids: { candidateId: string; postingId: string; professionalId: string },
): CandidateEvent[] => {
  const { officeStatus: from, interview } = state;
  const isMovedInterview = from === 'scheduled' && to === 'scheduled' && interview?.at !== interviewAt;
  if (from === to && !isMovedInterview) return [];
  if (isPostingClosed && state.hiringStatus === 'open')
    throw new DomainError('candidate-closed', 'The posting is closed, and so is the candidate');
  if (isMovedInterview && interview)
    return [{ type: 'InterviewMoved', data: { ...ids, interviewId: interview.id, interviewAt } }];
  if (!allowedTransitions[from].includes(to)) throw conflict(`A candidate who is ${from} cannot become ${to}`);
  switch (to) {
    case 'applied':
      return interview ? [{ type: 'InterviewCancelled', data: { ...ids, interviewId: interview.id } }] : [];
    case 'scheduled':
      return [{ type: 'InterviewScheduled', data: { ...ids, interviewId: newInterviewId, interviewAt } }];
    case 'interviewed':
      return [{ type: 'InterviewHeld', data: { ...ids, interviewId: interview?.id ?? newInterviewId } }];
    case 'hired':
      return [{ type: 'CandidateHired', data: ids }];
    case 'rejected':
      return [{ type: 'CandidateRejected', data: ids }];
  }
};
