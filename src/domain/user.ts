import { persistentMap, type PersistentMap } from './persistent-map.ts';
import { Type } from '../schema/typebox.ts';
import type { PhoneSet } from './current-phone.ts';
import { clockTimeOf, defineEvent } from '../streams/events.ts';
import type { Decider } from '../streams/decider.ts';
import { Identifier, Timestamp, personal, text } from '../schema/schema.ts';
import { JobNotificationSettings } from '../schema/vocabulary.ts';

const code = { userId: Identifier, codeId: Identifier };

export const userEvents = [
  defineEvent(
    'UserNamedByProfessional',
    "A professional's profile is about to name this user; the profile has the last word.",
    {
      userId: Identifier,
      professionalId: Identifier,
    },
  ),
  defineEvent(
    'CodeIssued',
    'A one-time code was made for a phone change: by SMS to the new number, or by mail to the user.',
    {
      ...code,
      channel: Type.Enum(['sms', 'mail']),
      destination: personal(text(254), 'userId', 'contact'),
      codeHash: text(100, { description: 'HMAC-SHA-256 of the code; the code itself is stored nowhere.' }),
      expiresAt: Timestamp,
    },
  ),
  defineEvent('CodeDelivered', 'The code was handed over for delivery.', code),
  defineEvent('CodeDeliveryFailed', 'The code could not be delivered and is void.', code),
  defineEvent('CodeRefused', 'A wrong code was entered.', code),
  defineEvent('CodeAccepted', 'The right code was entered; a token may now change the phone number, once.', {
    ...code,
    tokenExpiresAt: Timestamp,
  }),
  defineEvent('PhoneNumberChanged', 'The user changed the phone number.', {
    ...code,
    phoneNumber: personal(text(), 'userId', 'contact'),
  }),
  defineEvent(
    'JobNotificationSettingsChanged',
    'An administrator set the job notifications and classifications of the user.',
    {
      userId: Identifier,
      ...JobNotificationSettings.properties,
    },
  ),
] as const;

/** A one-time code, and the token that follows from it. */
export interface Code {
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
  readonly codes: PersistentMap<string, Code>;
  /** The number that the user set last. */
  readonly ownPhone: PhoneSet | null;
  readonly settings: JobNotificationSettings | null;
}

const withCode = (state: UserState, codeId: string, change: (code: Code) => Partial<Code>): UserState => {
  const before = state.codes.get(codeId);
  if (!before) throw new Error(`The code ${codeId} was never issued`);
  return { ...state, codes: state.codes.set(codeId, { ...before, ...change(before) }) };
};

export const user: Decider<UserState, typeof userEvents> = {
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
        const issued: Code = {
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
