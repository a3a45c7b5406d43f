import { updateOnboardingStatus } from '../../../commands/professionals/update-onboarding-status.ts';
import { professional as professionalStream, type ProfessionalState } from '../../domain/professional.ts';
import type { World } from './layout.ts';
import { planCommand, whenState } from './plan-command.ts';
import { signUpDay } from './professionals.ts';
import { pickByShare, whole, type Several } from './random.ts';
import type { Source } from './source.ts';

type Status = NonNullable<ProfessionalState['onboarding']>;

/** How far each status is on the way; of two that are equally far, none leads to the other. */
const places: Readonly<Record<Status, number>> = {
  invited: 1,
  started: 2,
  profile_completed: 3,
  credentials_submitted: 4,
  verified: 5,
  rejected: 5,
  suspended: 6,
};

const wholeWay = ['invited', 'started', 'profile_completed', 'credentials_submitted', 'verified'] as const;

/** The ways of professionals; the first professionals go them in turn, so that every status occurs. */
const ways: Several<{ readonly share: number; readonly statuses: readonly Status[] }> = [
  { share: 45, statuses: wholeWay },
  { share: 10, statuses: wholeWay.slice(0, 4) },
  { share: 8, statuses: wholeWay.slice(0, 3) },
  { share: 8, statuses: wholeWay.slice(0, 2) },
  { share: 8, statuses: wholeWay.slice(0, 1) },
  { share: 4, statuses: [...wholeWay.slice(0, 4), 'rejected'] },
  { share: 3, statuses: [...wholeWay, 'suspended'] },
  { share: 14, statuses: [] },
];

const stepsOf = (world: World, professional: number): { readonly status: Status; readonly day: number }[] => {
  const random = world.random('onboarding', professional);
  const way = ways[professional] ?? pickByShare(random, ways);
  let day = signUpDay(world, professional);
  return way.statuses.map((status) => ({ status, day: (day += whole(random, 1, 4)) }));
};

/** The onboarding of professionals, step by step. */
export const onboarding = (world: World): Source => ({
  kind: 'onboarding',
  part: 'acts',
  count: world.professionals,
  daysOf: (professional) => stepsOf(world, professional).map(({ day }) => day),
  commandOn(professional, day, at) {
    const status = stepsOf(world, professional).find((step) => step.day === day)?.status ?? 'invited';
    const id = world.id('professional', professional);
    return planCommand(world, updateOnboardingStatus, {
      at,
      key: ['onboarding', professional, day],
      params: { id },
      body: { status },
      done: whenState(
        professionalStream,
        id,
        (state) => state.onboarding !== null && places[state.onboarding] >= places[status],
      ),
    });
  },
});
