import { issuePhoneCode } from '../../../commands/users/issue-phone-code.ts';
import { updatePhoneNumber } from '../../../commands/users/update-phone-number.ts';
import { verifyPhoneCode } from '../../../commands/users/verify-phone-code.ts';
import { user as userDecider, type Code } from '../../domain/user.ts';
import { createSecrets } from '../../ports/secrets.ts';
import { cityOf, phoneIn, placeOfProfessional, professionalUser } from './people.ts';
import { planCommand, whenState, type Activity } from './plan-command.ts';
import { hours, timeOf, type World } from './world.ts';

/** Keys the phone change's code and token, both of which are spent in the history. */
export const seedSecrets = createSecrets('the seed keys its spent codes with this');

const DAY = 70;

/** One user's new phone number, by the legacy flow: a code, its answer, the change. */
export const phoneChange = (world: World, professional: number) => {
  const user = professionalUser(world, professional);
  const phoneNumber = phoneIn(
    cityOf(world, placeOfProfessional(world, professional)),
    world.random('phone', 0),
  );
  // The command mints the request's id first, then the code's id and the code.
  const minted = world.mint(timeOf(world, 'phone', 0, DAY, hours.codeIssued), 'phone', 0, 0);
  const [, codeId, code] = [minted.uuid(), minted.uuid(), minted.code()];
  const whenCode = (test: (code: Code) => boolean) =>
    whenState(userDecider, user.id, ({ codes }) => {
      const stored = codes.get(codeId);
      return stored !== undefined && test(stored);
    });
  const onDay = (plan: Activity['plan']) => (): Activity[] => [{ day: DAY, occasion: 0, plan }];
  return {
    codeIssued: onDay((ports) =>
      planCommand(ports, issuePhoneCode, {
        user,
        params: {},
        body: { phoneNumber },
        isDone: whenCode(() => true),
      }),
    ),
    codeAnswered: onDay((ports) =>
      planCommand(ports, verifyPhoneCode, {
        user,
        params: { codeId },
        body: { code },
        isDone: whenCode(({ tokenExpiresAt }) => tokenExpiresAt !== null),
      }),
    ),
    phoneChanged: onDay((ports) =>
      planCommand(ports, updatePhoneNumber, {
        user,
        params: {},
        body: { requestToken: seedSecrets.tokenOf(codeId) },
        isDone: whenCode(({ isUsed }) => isUsed),
      }),
    ),
  };
};
