import { issuePhoneCode } from '../../../commands/users/issue-phone-code.ts';
import { updatePhoneNumber } from '../../../commands/users/update-phone-number.ts';
import { verifyPhoneCode } from '../../../commands/users/verify-phone-code.ts';
import { user as userStream, type Code } from '../../domain/user.ts';
import { createSecrets } from '../../ports/secrets.ts';
import type { Kind, World } from './layout.ts';
import { cityOf } from './offices.ts';
import { planCommand, whenState, type PlannedCommand } from './plan-command.ts';
import { phoneIn, placeOfProfessional, professionalUser } from './professionals.ts';
import { momentOf, type Source } from './source.ts';

/** Keys the phone change's code and token, both of which are spent in the history. */
export const seedSecrets = createSecrets('the seed keys its spent codes with this');

const PHONE_DAY = 70;

/** One user's new phone number, by the legacy flow: a code, its answer, the change. */
export const phoneChange = (world: World, professional: number): Source[] => {
  const user = professionalUser(world, professional);
  const { areaCode } = cityOf(world, placeOfProfessional(world, professional));
  const phoneNumber = phoneIn(areaCode, world.random('phone', 0));
  const step = (kind: Kind, part: Source['part'], commandOn: (at: number) => PlannedCommand): Source => ({
    kind,
    part,
    count: 1,
    daysOf: () => [PHONE_DAY],
    commandOn: (_index, _day, at) => commandOn(at),
  });

  const key = ['phone', 0, 0] as const;
  const issuing = step('phone', 'codeIssued', (at) =>
    planCommand(world, issuePhoneCode, {
      at,
      key,
      user,
      params: {},
      body: { phoneNumber },
      done: whenCode(() => true),
    }),
  );
  // The command mints the request's id first, then the code's id and the code.
  const minted = world.mint(momentOf(world, issuing, 0, PHONE_DAY), ...key);
  const [, codeId, code] = [minted.uuid(), minted.uuid(), minted.code()];
  const whenCode = (test: (code: Code) => boolean) =>
    whenState(userStream, user.id, ({ codes }) => {
      const stored = codes.get(codeId);
      return stored !== undefined && test(stored);
    });

  const answering = step('phoneAnswer', 'codeAnswered', (at) =>
    planCommand(world, verifyPhoneCode, {
      at,
      key: ['phoneAnswer', 0, 0],
      user,
      params: { codeId },
      body: { code },
      done: whenCode(({ tokenExpiresAt }) => tokenExpiresAt !== null),
    }),
  );
  const changing = step('phoneUpdate', 'phoneChanged', (at) =>
    planCommand(world, updatePhoneNumber, {
      at,
      key: ['phoneUpdate', 0, 0],
      user,
      params: {},
      body: { requestToken: seedSecrets.tokenOf(codeId) },
      done: whenCode(({ isUsed }) => isUsed),
    }),
  );
  return [issuing, answering, changing];
};
