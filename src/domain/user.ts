import { persistentMap, type PersistentMap } from './persistent-map.ts';
import { Type } from '../schema/typebox.ts';
import type { DatedPhoneNumber } from './current-phone.ts';
import { clockTimeOf, defineEvent } from '../streams/events.ts';
import type { Decider } from '../streams/decider.ts';
import { Identifier, Timestamp, personal, text } from '../schema/schema.ts';
import { JobNotificationSettings } from '../schema/vocabulary.ts';

const codeIds = { userId: Identifier, codeId: Identifier };

export const userEvents = [
  defineEvent(
    'UserNamedByProfessional',
    "A professional's profile is about to name this user; the profile has the last word.",
    { userId: Identifier, professionalId: Identifier },
  ),
  defineEvent(
    'CodeIssued',
    'A one-time code was made for a phone change: by SMS to the new number, or by mail to the user.',
    {
      ...codeIds,
      channel: Type.Enum(['sms', 'mail']),
      destination: personal(text(254), 'userId', 'contact'),
      codeHash: text(100, { description: 'HMAC-SHA-256 of the code; the code itself is stored nowhere.' }),
      expiresAt: Timestamp,
    },
  ),
  defineEvent('CodeDelivered', 'The code was handed over for delivery.', codeIds),
  defineEvent('CodeDeliveryFailed', 'The code could not be delivered and is void.', codeIds),
  defineEvent('CodeRefused', 'A wrong code was entered.', codeIds),
  defineEvent('CodeAccepted', 'The right code was entered; a token may now change the phone number, once.', {
    ...codeIds,
    tokenExpiresAt: Timestamp,
  }),
  defineEvent('PhoneNumberChanged', 'The user changed the phone number.', {
    ...codeIds,
    phoneNumber: personal(text(), 'userId', 'contact'),
  }),
  defineEvent(
    'JobNotificationSettingsChanged',
    'An administrator set the job notifications and classifications of the user.',
    { userId: Identifier, ...JobNotificationSettings.properties },
  ),
] as const;

/** A one-time code, and the token that follows from it. */
export interface OneTimeCode {
  readonly channel: 'sms' | 'mail';
  readonly destination: string;
  readonly codeHash: string;
  readonly issuedAt: string;
  readonly expiresAt: string;
  readonly refusals: number;
  readonly isVoid: boolean;
  /** Null until the right code was entered. */
  readonly tokenExpiresAt: string | null;
  readonly isUsed: boolean;
}

export interface UserState {
  /** Professionals whose profile has named this user, or was about to; the latest last. */
  readonly professionals: readonly string[];
  readonly codes: PersistentMap<string, OneTimeCode>;
  /** The number that the user set last. */
  readonly ownPhone: DatedPhoneNumber | null;
  readonly settings: JobNotificationSettings | null;
}

const withCode = (state: UserState, codeId: string, change: (code: OneTimeCode) => Partial<OneTimeCode>): UserState => {
  const before = state.codes.get(codeId);
  if (!before) throw new Error(`The code ${codeId} was never issued`);
  return { ...state, codes: state.codes.set(codeId, { ...before, ...change(before) }) };
};

export const userDecider: Decider<UserState, typeof userEvents> = {
  category: 'user',
  events: userEvents,
  initialState: { professionals: [], codes: persistentMap(), ownPhone: null, settings: null },
  sizeOf: ({ professionals, codes }) => professionals.length + codes.size,
  evolve(state, event) {
    switch (event.type) {
      case 'UserNamedByProfessional': {
        const { professionalId } = event.data;
        return {
          ...state,
          professionals: [...state.professionals.filter((id) => id !== professionalId), professionalId],
        };
      }
      case 'CodeIssued': {
        const { channel, destination, codeHash, expiresAt, codeId } = event.data;
        const issued: OneTimeCode = {
          channel,
          destination,
          codeHash,
          issuedAt: clockTimeOf(event.metadata),
          expiresAt,
          refusals: 0,
          isVoid: false,
          tokenExpiresAt: null,
          isUsed: false,
        };
        return { ...state, codes: state.codes.set(codeId, issued) };
      }
      case 'CodeDelivered':
        return state;
      case 'CodeDeliveryFailed':
        return withCode(state, event.data.codeId, () => ({ isVoid: true }));
      case 'CodeRefused':
        return withCode(state, event.data.codeId, ({ refusals }) => ({ refusals: refusals + 1 }));
      case 'CodeAccepted':
        return withCode(state, event.data.codeId, () => ({ tokenExpiresAt: event.data.tokenExpiresAt }));
      case 'PhoneNumberChanged': {
        const ownPhone = { number: event.data.phoneNumber, at: event.metadata.recordedAt };
        return { ...withCode(state, event.data.codeId, () => ({ isUsed: true })), ownPhone };
      }
      case 'JobNotificationSettingsChanged': {
        const { userId: _id, ...settings } = event.data;
        return { ...state, settings };
      }
    }
  },
};
