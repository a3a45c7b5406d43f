import { updateOnboardingStatus } from '../../../commands/professionals/update-onboarding-status.ts';
import { savePosting } from '../../../commands/saved-postings/save-posting.ts';
import { unsavePosting } from '../../../commands/saved-postings/unsave-posting.ts';
import { reorderProcedures } from '../../../commands/specialties/reorder-procedures.ts';
import { issuePhoneCode } from '../../../commands/users/issue-phone-code.ts';
import { setJobNotificationSettings } from '../../../commands/users/set-job-notification-settings.ts';
import { updatePhoneNumber } from '../../../commands/users/update-phone-number.ts';
import { verifyPhoneCode } from '../../../commands/users/verify-phone-code.ts';
import { createSecrets } from '../../ports/secrets.ts';
import type { OnboardingStatus } from '../../schema/vocabulary.ts';
import { activity, type Activity } from './activity.ts';
import { dental } from './lists.ts';
import { adminUser, cityOf, phoneIn, placeOfProfessional, professionalUser, signUpDay } from './people.ts';
import { chance, pick, pickByShare, whole } from './random.ts';
import { busyDay, FIRST_POSTING_DAY, publishDay, weekday, type World } from './world.ts';

/** The administrator reverses the procedures of every second specialty. */
export const reorderActivities = (world: World, index: number): Activity[] => {
  const procedures = dental.specialties[index]?.procedures ?? [];
  const body = { procedure_ids: procedures.map(({ id }) => id).reverse() };
  const params = { id: world.id('specialty', index) };
  const user = adminUser(world);
  return index % 2 === 0
    ? [activity(weekday(30 + index), reorderProcedures, () => ({ user, params, body }))]
    : [];
};

/** The administrator sets the job notifications of some users, each once. */
export const settingsActivities = (world: World, professional: number, demo: number): Activity[] => {
  const random = world.random('settings', professional);
  if (!chance(random, 0.12) && professional !== demo) return [];
  const day = busyDay(whole(random, FIRST_POSTING_DAY, 60), random);
  const flag = (probability: number) => chance(random, probability);
  return [
    activity(day, setJobNotificationSettings, () => ({
      user: adminUser(world),
      params: { userid: world.id('user', professional) },
      body: {
        monday: flag(0.9),
        tuesday: flag(0.9),
        wednesday: flag(0.9),
        thursday: flag(0.9),
        friday: flag(0.7),
        saturday: flag(0.3),
        sunday: flag(0.1),
        contractor: flag(0.5),
        employee: flag(0.8),
      },
    })),
  ];
};

const steps: readonly OnboardingStatus[] = [
  'invited',
  'started',
  'profile_completed',
  'credentials_submitted',
  'verified',
];

/** The ways of professionals; the first professionals go them in turn, so that every status occurs. */
const ways: readonly { readonly share: number; readonly statuses: readonly OnboardingStatus[] }[] = [
  { share: 45, statuses: steps },
  { share: 10, statuses: steps.slice(0, 4) },
  { share: 8, statuses: steps.slice(0, 3) },
  { share: 8, statuses: steps.slice(0, 2) },
  { share: 8, statuses: steps.slice(0, 1) },
  { share: 4, statuses: [...steps.slice(0, 4), 'rejected'] },
  { share: 3, statuses: [...steps, 'suspended'] },
  { share: 14, statuses: [] },
];

/** The onboarding of a professional, step by step. */
export const onboardingActivities = (world: World, professional: number): Activity[] => {
  const random = world.random('onboarding', professional);
  const { statuses } = ways[professional] ?? pickByShare(random, ways);
  const params = { id: world.id('professional', professional) };
  let day = signUpDay(world, professional);
  return statuses.map((status) => {
    day = busyDay(day + whole(random, 1, 4), random);
    return activity(day, updateOnboardingStatus, () => ({ params, body: { status } }));
  });
};

/** Saves on different days, mostly of postings in the own city, and after them one that is taken back. */
export const saveActivities = (world: World, professional: number, demo: number): Activity[] => {
  const random = world.random('saves', professional);
  const isDemo = professional === demo;
  if (!isDemo && !chance(random, 0.45)) return [];
  const near = world.postingsIn[placeOfProfessional(world, professional)] ?? [];
  const count = isDemo ? 4 : whole(random, 1, 5);
  // The demo's are late enough for a small world to have some postings.
  let day = busyDay(FIRST_POSTING_DAY + (isDemo ? 40 : whole(random, 2, 40)), random);
  const saves = new Map<number, number>();
  // What is not published yet, or saved already, is no choice; a small world has few.
  for (let choices = 0; choices < 8 * count && saves.size < count; choices++) {
    const isNear = near.length > 0 && chance(random, 0.75);
    const any = isNear ? pick(random, near) : whole(random, 0, world.postings.length - 1);
    const posting = isDemo && saves.size === 0 ? 0 : any;
    if (saves.has(posting) || publishDay(world, posting) > day) continue;
    saves.set(posting, day);
    day = busyDay(day + whole(random, 1, 5), random);
  }
  const user = professionalUser(world, professional);
  const bodyOf = (posting: number) => ({ postingId: world.id('posting', posting) });
  const activities = Array.from(saves, ([posting, on]) =>
    activity(on, savePosting, () => ({ user, params: {}, body: bodyOf(posting) })),
  );
  const regretted = [...saves.keys()][isDemo ? 1 : 0];
  if (saves.size > 2 && regretted !== undefined && (isDemo || chance(random, 0.3)))
    activities.push(activity(day, unsavePosting, () => ({ user, params: {}, body: bodyOf(regretted) })));
  return activities;
};

/** Keys the phone change's code and token, both of which are spent in the history. */
export const seedSecrets = createSecrets('the seed keys its spent codes with this');

const PHONE_DAY = 70;

/** One user's new phone number, by the legacy flow: a code, its answer, the change, each in a part of the day of its own. */
export const phoneActivities = (world: World, professional: number): Activity[] => {
  const user = professionalUser(world, professional);
  const city = cityOf(world, placeOfProfessional(world, professional));
  const phoneNumber = phoneIn(city, world.random('new phone number', 0));
  // The command mints the request's id first, then the code's id and the code.
  const ids = world.mint(world.timeOf('phone', 0, PHONE_DAY, 'codeIssued'), 'phone', 0, PHONE_DAY);
  const [, codeId, code] = [ids.uuid(), ids.uuid(), ids.code()];
  return [
    activity(PHONE_DAY, issuePhoneCode, () => ({ user, params: {}, body: { phoneNumber } })),
    activity(PHONE_DAY, verifyPhoneCode, () => ({ user, params: { codeId }, body: { code } })),
    activity(PHONE_DAY, updatePhoneNumber, () => {
      const body = { requestToken: seedSecrets.tokenOf(codeId) };
      return { user, params: {}, body };
    }),
  ];
};
