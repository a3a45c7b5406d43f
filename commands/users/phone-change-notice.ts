import type { CommandContext } from '../../src/command-handling/command.ts';
import { currentPhone } from '../../src/domain/current-phone.ts';
import { isTextable } from '../../src/domain/phone-number.ts';
import { user } from '../../src/domain/user.ts';
import type { Destination } from '../../src/ports/code-delivery.ts';
import { mailAddressOf, professionalsOf } from '../parts/profiles-of.ts';

/**
 * Whom to tell that a user's phone number is changed (decisions, 4.1): the number until now, if messages go there, and
 * the mail address. Nobody when the number stays the same.
 */
export const toTellOfChange = async (
  userId: string,
  newNumber: string,
  context: Pick<CommandContext, 'load' | 'ports'>,
): Promise<readonly Destination[]> => {
  const { ownPhone } = (await context.load(user, userId)).state;
  const professionals = await professionalsOf(userId, context);
  const numbers = professionals.map((known) => currentPhone({ ...known, ownPhone }));
  const before = numbers.find((number) => number !== null) ?? ownPhone?.number;
  if (before === newNumber) return [];
  const address = mailAddressOf(professionals);
  return [
    ...(before !== undefined && isTextable(before, context.ports.smsCountries)
      ? [{ channel: 'sms', phoneNumber: before } as const]
      : []),
    ...(address === undefined ? [] : [{ channel: 'mail', address } as const]),
  ];
};
