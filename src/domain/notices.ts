import { clockTimeOf, defineEvent } from '../streams/events.ts';
import type { Decider } from '../streams/decider.ts';
import { Identifier, personal } from '../schema/schema.ts';

/** To a user over any channel, and to a number by SMS for all users together (decisions, Notices). */
export const MAX_NOTICES_AN_HOUR = 3;
/** A number that no code proved is told of a change once it has stood for so long. */
export const UNVERIFIED_NUMBER_NOTICE_HOURS = 24;

export const noticeEvents = [
  defineEvent(
    'NoticeRequested',
    'Notice of a changed phone number is about to be given, which counts against the hour of its user, or of its number.',
    {
      recipientHash: personal(
        { ...Identifier, description: 'HMAC-SHA-256 of the user or the number, which this stream does not hold.' },
        'recipientHash',
        'recipient',
      ),
    },
  ),
] as const;

/** Notices to a user, or to a number, named by a keyed hash. The state: when the last ones were, oldest first. */
export const noticeDecider: Decider<readonly string[], typeof noticeEvents> = {
  category: 'notice',
  isIdPersonal: true,
  events: noticeEvents,
  initialState: [],
  evolve: (state, { metadata }) => [...state, clockTimeOf(metadata)].slice(-MAX_NOTICES_AN_HOUR),
};
