// @ts-check
import { sqliteProjection } from '@event-driven-io/emmett-sqlite';
import * as sql from './posting-candidates-statements.js';
import { createTables, dropTables } from './posting-candidates-tables.js';

/**
 * @typedef {{ actor: string, recordedAt: string }} Metadata
 * @typedef {{ candidateId: string, postingId: string, professionalId: string }} Ids
 * @typedef {{
 *   professionalId: string, userId: string, firstName: string, lastName: string,
 *   email: string | null, phone: string | null, picture: string | null, yearsOfExperience: number | null
 * }} Profile
 */
/**
 * @template {string} Type
 * @template {Record<string, unknown>} Data
 * @typedef {import('@event-driven-io/emmett').Event<Type, Data, Metadata>} EventOf
 */
/**
 * @typedef {EventOf<'CandidateApplied' | 'InterviewCancelled' | 'CandidateHired' | 'CandidateRejected', Ids>
 *   | EventOf<'InterviewScheduled' | 'InterviewMoved' | 'InterviewHeld', Ids & { interviewId: string }>
 *   | EventOf<'CandidateShortlistChanged', Ids & { isShortlisted: boolean }>
 *   | EventOf<'ProfessionalRecorded', Profile>
 *   | EventOf<'PhoneNumberChanged', { userId: string, phoneNumber: string }>
 *   | EventOf<'PostingRecorded' | 'PostingClosed', { postingId: string }>} PostingCandidatesEvent
 * @typedef {[sql: string, ...parameters: (string | number | null)[]]} Statement
 */

/**
 * The statements that an event asks for.
 *
 * @param {PostingCandidatesEvent} event
 * @returns {Statement[]}
 */
const statementsOf = ({ type, data, metadata: { recordedAt: at, actor } }) => {
  switch (type) {
    case 'CandidateApplied':
      return [[sql.apply, data.candidateId, data.postingId, data.professionalId, at, actor]];
    case 'InterviewScheduled':
      return [[sql.setStatusAndInterview, data.candidateId, at, actor, 'scheduled', data.interviewId]];
    case 'InterviewMoved':
      return [[sql.setInterview, data.candidateId, at, actor, data.interviewId]];
    case 'InterviewCancelled':
      return [[sql.setStatusAndInterview, data.candidateId, at, actor, 'applied', null]];
    case 'InterviewHeld':
      return [[sql.setStatusAndInterview, data.candidateId, at, actor, 'interviewed', data.interviewId]];
    case 'CandidateHired':
      return [[sql.setStatus, data.candidateId, at, actor, 'hired']];
    case 'CandidateRejected':
      return [[sql.setStatus, data.candidateId, at, actor, 'rejected']];
    case 'CandidateShortlistChanged':
      return [[sql.setShortlisted, data.candidateId, at, actor, Number(data.isShortlisted)]];
    case 'ProfessionalRecorded': {
      const { professionalId, userId, firstName, lastName, email, picture, yearsOfExperience, phone } = data;
      const name = `${firstName} ${lastName}`;
      return [
        [sql.recordPerson, professionalId, userId, name, email, picture, yearsOfExperience, phone, at],
        [sql.showPerson, professionalId],
      ];
    }
    case 'PhoneNumberChanged':
      return [
        [sql.keepPhone, data.userId, data.phoneNumber, at],
        [sql.setPhone, data.userId, data.phoneNumber, at],
        [sql.showPeopleOfUser, data.userId],
      ];
    case 'PostingRecorded':
      return [[sql.recordPosting, data.postingId, JSON.stringify(data)]];
    case 'PostingClosed':
      return [
        [sql.closePosting, data.postingId, at, actor],
        [sql.showClosing, data.postingId, at, actor],
      ];
  }
};

/** The candidates of a posting, as `projections/posting-candidates.ts` shows them. */
export const postingCandidates = sqliteProjection({
  name: 'posting_candidates',
  canHandle: /** @type {import('@event-driven-io/emmett').CanHandle<PostingCandidatesEvent>} */ ([
    'CandidateApplied',
    'InterviewScheduled',
    'InterviewMoved',
    'InterviewCancelled',
    'InterviewHeld',
    'CandidateHired',
    'CandidateRejected',
    'CandidateShortlistChanged',
    'ProfessionalRecorded',
    'PhoneNumberChanged',
    'PostingRecorded',
    'PostingClosed',
  ]),
  init: ({ context: { connection } }) => connection.batchCommand(createTables),
  truncate: ({ connection }) => connection.batchCommand([...dropTables, ...createTables]),
  handle: async (events, { connection }) => {
    for (const event of events)
      for (const [statement, ...parameters] of statementsOf(event)) await connection.command(statement, parameters);
  },
});
