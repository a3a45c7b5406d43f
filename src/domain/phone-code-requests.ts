import { clockTimeOf, defineEvent } from '../streams/events.ts';
import type { Decider } from '../streams/decider.ts';
import { MAX_CODES_AN_HOUR } from './one-time-codes.ts';
import { Identifier, personal } from '../schema/schema.ts';

export const phoneCodeRequestEvents = [
  defineEvent('CodeRequested', 'A code is about to be sent to a number by SMS, which counts against its hour.', {
    // The same for all who ask for a code to the number.
    numberHash: personal(
      { ...Identifier, description: 'HMAC-SHA-256 of the number, which this stream does not hold.' },
      'codeId',
      'numberHash',
    ),
    codeId: Identifier,
  }),
] as const;

/** The last requests for codes to a number, by any user, oldest first: as many as the hourly limit counts. */
export type PhoneCodeRequestState = readonly { readonly codeId: string; readonly at: string }[];

/** A phone number, named by a keyed hash: its stream does not hold the number. */
export const phoneCodeRequestDecider: Decider<PhoneCodeRequestState, typeof phoneCodeRequestEvents> = {
  category: 'phone',
  isIdPersonal: true,
  events: phoneCodeRequestEvents,
  initialState: [],
  evolve: (state, { data: { codeId }, metadata }) =>
    [...state, { codeId, at: clockTimeOf(metadata) }].slice(-MAX_CODES_AN_HOUR),
};
