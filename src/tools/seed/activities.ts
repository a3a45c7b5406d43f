import { updateOnboardingStatus } from '../../../commands/professionals/update-onboarding-status.ts';
import { savePosting } from '../../../commands/saved-postings/save-posting.ts';
import { unsavePosting } from '../../../commands/saved-postings/unsave-posting.ts';
import { reorderProcedures } from '../../../commands/specialties/reorder-procedures.ts';
import { setJobNotificationSettings } from '../../../commands/users/set-job-notification-settings.ts';
import { professional as professionalDecider } from '../../domain/professional.ts';
import { savedPostings } from '../../domain/saved-postings.ts';
import type { OnboardingStatus } from '../../schema/vocabulary.ts';
import { specialties } from './dental.ts';
import { adminUser, placeOfProfessional, professionalUser, signUpDay } from './people.ts';
import { planCommand, whenState, type Activity } from './plan-command.ts';
import { publishedBy } from './postings.ts';
import { chance, pickByShare, whole, type Random, type Several } from './random.ts';
import { FIRST_POSTING_DAY, type World } from './world.ts';

/** The administrator reverses the procedures of every second specialty. */
export const reorderActivities = (world: World, index: number): Activity[] => {
  const procedures = specialties[index]?.procedures ?? [];
  const body = { procedure_ids: procedures.map(({ id }) => id).reverse() };
  const params = { id: world.id('specialty', index) };
  const user = adminUser(world);
  return index % 2 === 0
    ? [{ day: 30 + index, plan: (ports) => planCommand(ports, reorderProcedures, { user, params, body }) }]
    : [];
};

/** The administrator sets the job notifications of some users, each once. */
export const settingsActivities = (world: World, professional: number, demo: number): Activity[] => {
  const random = world.random('settings', professional);
  if (!chance(random, 0.12) && professional !== demo) return [];
  const day = whole(random, FIRST_POSTING_DAY, 60);
  const plan: Activity['plan'] = (ports) => {
    const draw = world.random('settings', professional, day);
    const flag = (probability: number) => chance(draw, probability);
    return planCommand(ports, setJobNotificationSettings, {
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
    });
  };
  return [{ day, plan }];
};

const onboardingOrder: readonly OnboardingStatus[] = [
  'invited',
  'started',
  'profile_completed',
  'credentials_submitted',
  'verified',
];

/** How far a status is on the way; of two that are equally far, none leads to the other. */
const rankOf = (status: OnboardingStatus): number =>
  status === 'suspended' ? 5 : status === 'rejected' ? 4 : onboardingOrder.indexOf(status);

/** The ways of professionals; the first professionals go them in turn, so that every status occurs. */
const histories: Several<{ readonly share: number; readonly statuses: readonly OnboardingStatus[] }> = [
  { share: 45, statuses: onboardingOrder },
  { share: 10, statuses: onboardingOrder.slice(0, 4) },
  { share: 8, statuses: onboardingOrder.slice(0, 3) },
  { share: 8, statuses: onboardingOrder.slice(0, 2) },
  { share: 8, statuses: onboardingOrder.slice(0, 1) },
  { share: 4, statuses: [...onboardingOrder.slice(0, 4), 'rejected'] },
  { share: 3, statuses: [...onboardingOrder, 'suspended'] },
  { share: 14, statuses: [] },
];

/** The onboarding of a professional, step by step. */
export const onboardingActivities = (world: World, professional: number): Activity[] => {
  const random = world.random('onboarding', professional);
  const { statuses } = histories[professional] ?? pickByShare(random, histories);
  let day = signUpDay(world, professional);
  return statuses.map((status) => ({
    day: (day += whole(random, 1, 4)),
    plan(ports) {
      const id = world.id('professional', professional);
      return planCommand(ports, updateOnboardingStatus, {
        params: { id },
        body: { status },
        isDone: whenState(
          professionalDecider,
          id,
          ({ onboarding }) => onboarding !== null && rankOf(onboarding) >= rankOf(status),
        ),
      });
    },
  }));
};

/** Mostly a posting of the professional's own city, out of those published by that day. */
const choosePosting = (world: World, place: number, day: number, random: Random): number => {
  const published = publishedBy(world, day);
  const near = Math.ceil((published - place) / world.cities);
  return near > 0 && chance(random, 0.75)
    ? place + world.cities * whole(random, 0, near - 1)
    : whole(random, 0, published - 1);
};

/** Saves on different days, and after them one that is taken back; the last one never is. */
export const saveActivities = (world: World, professional: number, demo: number): Activity[] => {
  const random = world.random('saves', professional);
  const isDemo = professional === demo;
  if (!isDemo && !chance(random, 0.45)) return [];
  const count = isDemo ? 4 : whole(random, 1, 5);
  // The demo's are late enough for a small world to have some postings.
  let day = FIRST_POSTING_DAY + (isDemo ? 40 : whole(random, 2, 40));
  const place = placeOfProfessional(world, professional);
  const saves = new Map<number, number>();
  // In a small world the same postings come up again and again.
  for (let choices = 0; choices < 4 * count && saves.size < count; choices++) {
    const posting = isDemo && saves.size === 0 ? 0 : choosePosting(world, place, day, random);
    if (saves.has(posting)) continue;
    saves.set(posting, day);
    day += whole(random, 1, 5);
  }
  const request = (posting: number) => ({
    user: professionalUser(world, professional),
    params: {},
    body: { postingId: world.id('posting', posting) },
  });
  const activities = Array.from(saves, ([posting, savedOn]): Activity => ({
    day: savedOn,
    plan: (ports) =>
      planCommand(ports, savePosting, {
        ...request(posting),
        // A later save shows that this one was made, though it may have been taken back since.
        isDone: whenState(savedPostings, world.id('professional', professional), ({ savedAt }) =>
          [...savedAt.values()].some((later) => later >= ports.clock().toISOString()),
        ),
      }),
  }));
  const regretted = [...saves.keys()][isDemo ? 1 : 0];
  if (saves.size > 2 && regretted !== undefined && (isDemo || chance(random, 0.3)))
    activities.push({ day, plan: (ports) => planCommand(ports, unsavePosting, request(regretted)) });
  return activities;
};
