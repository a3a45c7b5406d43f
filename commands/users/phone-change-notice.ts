import type { AfterwardsContext, CommandContext } from '../../src/application/command.ts';
import { currentDatedPhoneNumber, type DatedPhoneNumber } from '../../src/domain/current-phone.ts';
import { secondsUntilAllowed } from '../../src/domain/hourly-limit.ts';
import { MAX_NOTICES_AN_HOUR, noticeDecider, UNVERIFIED_NUMBER_NOTICE_HOURS } from '../../src/domain/notices.ts';
import { isTextable } from '../../src/domain/phone-number.ts';
import { userDecider, type UserState } from '../../src/domain/user.ts';
import { hoursAfter } from '../../src/lib/hours-after.ts';
import type { Destination } from '../../src/ports/message-sender.ts';
import { newestEmailOf, loadProfessionalsOfUser } from '../parts/user-professionals.ts';

/** Whether the user has answered a code that went to the number. */
const isNumberProved = ({ codes }: UserState, number: string): boolean =>
  [...codes.values()].some(
    ({ channel, destination, tokenExpiresAt }) =>
      channel === 'sms' && destination === number && tokenExpiresAt !== null,
  );

const isLongStanding = ({ at }: DatedPhoneNumber, now: string): boolean =>
  at <= hoursAfter(now, -UNVERIFIED_NUMBER_NOTICE_HOURS);

/**
 * Whom to tell that a user's phone number is changed (decisions, 4.1 and Notices): the number until now, if messages go
 * there and it is known to be the user's, and the mail address. Nobody when the number stays the same.
 */
export const loadNoticeRecipients = async (
  userId: string,
  newNumber: string,
  context: Pick<CommandContext, 'load' | 'ports' | 'now'>,
): Promise<readonly Destination[]> => {
  const { state } = await context.load(userDecider, userId);
  const { ownPhone } = state;
  const professionals = await loadProfessionalsOfUser(userId, context);
  const shown = professionals.map((known) => currentDatedPhoneNumber({ ...known, ownPhone }));
  const before = shown.find((phone) => phone !== null) ?? ownPhone;
  if (before?.number === newNumber) return [];
  const isNumberNotified =
    before !== null &&
    (isNumberProved(state, before.number) || isLongStanding(before, context.now)) &&
    isTextable(before.number, context.ports.smsCountries);
  const address = newestEmailOf(professionals);
  return [
    ...(isNumberNotified ? [{ channel: 'sms', phoneNumber: before.number } as const] : []),
    ...(address === undefined ? [] : [{ channel: 'mail', address } as const]),
  ];
};

/** Counts a notice before it is given. Resolves to whether it may be. */
const countNotice = async (recipientHash: string, { now, append }: AfterwardsContext): Promise<boolean> => {
  let isDue = false;
  await append(
    noticeDecider,
    recipientHash,
  )((before) => {
    isDue = secondsUntilAllowed(before, MAX_NOTICES_AN_HOUR, now) === 0;
    return isDue ? [{ type: 'NoticeRequested', data: { recipientHash } }] : [];
  });
  return isDue;
};

/** Tells of a change that has been made, as often as is allowed: of the user, and by SMS of the number too. */
export const sendPhoneChangeNotices = async (
  userId: string,
  recipients: readonly Destination[],
  context: AfterwardsContext,
): Promise<void> => {
  const { phoneChangeNotice, secrets } = context.ports;
  let ofUser: Promise<boolean> | undefined;
  const isDue = (to: Destination) => async (): Promise<boolean> => {
    ofUser ??= countNotice(secrets.hashRecipient('user', userId), context);
    if (!(await ofUser)) return false;
    return to.channel === 'mail' || countNotice(secrets.hashRecipient('number', to.phoneNumber), context);
  };
  await Promise.all(recipients.map((to) => phoneChangeNotice(to, isDue(to))));
};
