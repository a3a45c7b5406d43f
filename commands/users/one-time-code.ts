import type { CommandContext, DecideAndAppend } from '../../src/application/command.ts';
import { secondsUntilAllowed } from '../../src/domain/hourly-limit.ts';
import {
  CODE_MINUTES,
  MAX_CODES_AN_HOUR,
  TOKEN_MINUTES,
  isCodeOpen,
  minutesAfter,
} from '../../src/domain/one-time-codes.ts';
import { phoneCodeRequestDecider } from '../../src/domain/phone-code-requests.ts';
import { userDecider, type UserState, type userEvents } from '../../src/domain/user.ts';
import { DomainError, forbidden, notFound, tooMany, unavailable } from '../../src/errors/domain-error.ts';
import type { NewEventOf } from '../../src/streams/events.ts';
import type { Destination } from '../../src/ports/message-sender.ts';
import type { Ports } from '../../src/ports/index.ts';
import { timingSafeEqualTexts } from '../../src/ports/code-crypto.ts';

/** Shared by the SMS code of the legacy flow and the mail code of the multi-factor flow. */

type UserEvent = NewEventOf<(typeof userEvents)[number]>;
type Channel = Destination['channel'];

const RETRY_DELIVERY_SECONDS = 30;

/** Called by every step of the legacy flow. @throws DomainError forbidden while FEATURE_PHONE_UPDATE_LEGACY is false */
export const requireLegacyFlowEnabled = (ports: Ports): Ports => {
  if (!ports.legacyPhoneUpdate) throw forbidden('Changing the phone number by an SMS code alone is not enabled');
  return ports;
};

const refuseTooMany = (issuedAt: readonly string[], now: string, what: string): void => {
  const wait = secondsUntilAllowed(issuedAt, MAX_CODES_AN_HOUR, now);
  if (wait > 0) throw tooMany(`Too many codes were ${what} in the last hour`, wait);
};
const refuseTooManyOfUser = ({ codes }: UserState, now: string): void =>
  refuseTooMany(
    [...codes.values()].map(({ issuedAt }) => issuedAt),
    now,
    'issued',
  );

/** Stored before the code is issued: a crash in between leaves a count without a code, never a code without a count. */
const countForNumber = async (
  codeId: string,
  phoneNumber: string,
  { ports, now }: CommandContext,
  append: DecideAndAppend,
): Promise<void> => {
  const numberHash = ports.secrets.hashNumber(phoneNumber);
  await append(
    phoneCodeRequestDecider,
    numberHash,
  )((requests) => {
    if (requests.some((request) => request.codeId === codeId)) return [];
    refuseTooMany(
      requests.map(({ at }) => at),
      now,
      'sent to this number',
    );
    return [{ type: 'CodeRequested', data: { numberHash, codeId } }];
  });
};

/** Issues a code and delivers it. A code that cannot be delivered is void, but counts against the hour. */
export const issueAndDeliverCode = async (userId: string, to: Destination, context: CommandContext) => {
  const { ports, now, load, appenderFor } = context;
  const [codeId, code] = [ports.ids.uuid(), ports.ids.code()];
  const expiresAt = minutesAfter(now, CODE_MINUTES);
  const destination = to.channel === 'sms' ? to.phoneNumber : to.address;
  const issued = {
    userId,
    codeId,
    channel: to.channel,
    destination,
    codeHash: ports.secrets.hashCode(codeId, code),
    expiresAt,
  };
  const append = appenderFor(userId);
  if (to.channel === 'sms') {
    // What is refused to the user does not count against the number.
    refuseTooManyOfUser((await load(userDecider, userId)).state, now);
    await countForNumber(codeId, to.phoneNumber, context, append);
  }
  await append(
    userDecider,
    userId,
  )((state) => {
    refuseTooManyOfUser(state, now);
    return [{ type: 'CodeIssued', data: issued }];
  });
  try {
    await ports.codes(to, code);
  } catch {
    // The port has told the application log why; what it knows of the person is not for the client.
    await append(userDecider, userId)(() => [{ type: 'CodeDeliveryFailed', data: { userId, codeId } }]);
    throw unavailable('The code could not be delivered', RETRY_DELIVERY_SECONDS);
  }
  return { id: userId, codeId, expiresAt };
};

interface CodeAttempt {
  readonly id: string;
  readonly codeId: string;
  readonly channel: Channel;
  readonly codeHash: string;
  readonly now: string;
}

/** Makes the input for a decision on an entered code. */
export const toCodeAttempt = (
  userId: string,
  codeId: string,
  channel: Channel,
  code: string,
  { ports, now }: CommandContext,
): CodeAttempt => ({ id: userId, codeId, channel, codeHash: ports.secrets.hashCode(codeId, code), now });

/** Accepts the right code; after the fifth wrong one the code takes no more answers. */
export const decideCodeAttempt = (
  { codes }: UserState,
  { id: userId, codeId, channel, codeHash, now }: CodeAttempt,
): UserEvent[] => {
  const code = codes.get(codeId);
  if (code?.channel !== channel) throw notFound('There is no such code, or it is not yours');
  if (!isCodeOpen(code, now)) throw new DomainError('not-verified', 'The code has expired or can take no more answers');
  return timingSafeEqualTexts(code.codeHash, codeHash)
    ? [{ type: 'CodeAccepted', data: { userId, codeId, tokenExpiresAt: minutesAfter(now, TOKEN_MINUTES) } }]
    : [{ type: 'CodeRefused', data: { userId, codeId } }];
};

/** The token's code id and expiry, or a refusal for a wrong code. */
export const codeAttemptOutcomeOf = (
  { codes }: UserState,
  { codeId }: CodeAttempt,
): { codeId: string; expiresAt: string } | DomainError => {
  const expiresAt = codes.get(codeId)?.tokenExpiresAt;
  return expiresAt
    ? { codeId, expiresAt }
    : new DomainError('wrong-code', 'body/code is wrong', { field: '/properties/code' });
};
