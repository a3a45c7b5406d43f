import { recordProfessional } from '../../../commands/professionals/record-professional.ts';
import type { User } from '../../access/access.ts';
import { FIRST_POSTING_DAY } from './calendar.ts';
import { professions, type Profession } from './dental.ts';
import type { World } from './layout.ts';
import { firstNames, lastNames } from './names.ts';
import { around, cityOf } from './offices.ts';
import { planCommand, type PlannedCommand } from './plan-command.ts';
import { chance, pick, whole } from './random.ts';
import type { Source } from './source.ts';

/** Professionals are numbered by profession, then by city: those who would apply to the same posting are neighbours. */
export interface Range {
  readonly profession: Profession;
  readonly from: number;
  readonly size: number;
}

const allShares = professions.reduce((sum, { share }) => sum + share, 0);

export const rangeOf = (world: World, profession: Profession): Range => {
  const sharesBefore = professions
    .slice(0, professions.indexOf(profession))
    .reduce((sum, { share }) => sum + share, 0);
  const boundary = (shares: number) => Math.round((world.professionals * shares) / allShares);
  const from = boundary(sharesBefore);
  return { profession, from, size: boundary(sharesBefore + profession.share) - from };
};

const rangeAround = (world: World, professional: number): Range => {
  for (const profession of professions) {
    const range = rangeOf(world, profession);
    if (professional < range.from + range.size) return range;
  }
  throw new RangeError(`There is no professional ${professional}`);
};

export const placeOfProfessional = (world: World, professional: number): number => {
  const { from, size } = rangeAround(world, professional);
  return Math.floor(((professional - from) * world.cities) / size);
};

export const professionalUser = (
  world: World,
  professional: number,
): User & { readonly professionalId: string } => ({
  id: world.id('user', professional),
  professionalId: world.id('professional', professional),
  officeId: undefined,
  isAdmin: false,
  isAnalyst: false,
});

export const nameOf = (world: World, professional: number): { firstName: string; lastName: string } => {
  const random = world.random('professional', professional, 1);
  return { firstName: pick(random, firstNames), lastName: pick(random, lastNames) };
};

/** The day on which a professional signs up. */
export const signUpDay = (world: World, professional: number): number =>
  whole(world.random('professional', professional), 0, FIRST_POSTING_DAY - 1);

/** Exchange 555 and the last four digits from 0100 to 0199 are set apart for made-up numbers. */
export const phoneIn = (areaCode: string, random: () => number): string =>
  `+1${areaCode}55501${String(whole(random, 0, 99)).padStart(2, '0')}`;

const letters = (name: string) =>
  name
    .normalize('NFD')
    .replace(/[^A-Za-z]/g, '')
    .toLowerCase();

const toCommand = (world: World, professional: number, at: number): PlannedCommand => {
  const random = world.random('professional', professional, 2);
  const { firstName, lastName } = nameOf(world, professional);
  const city = cityOf(world, placeOfProfessional(world, professional));
  const id = world.id('professional', professional);
  return planCommand(world, recordProfessional, {
    at,
    key: ['professional', professional, 0],
    params: { id },
    body: {
      userId: world.id('user', professional),
      firstName,
      lastName,
      email: `${letters(firstName)}.${letters(lastName)}.${professional}@example.com`,
      phone: phoneIn(city.areaCode, random),
      picture: chance(random, 0.7) ? `https://example.com/pictures/${id}.jpg` : undefined,
      yearsOfExperience: Math.floor(random() ** 1.6 * 35),
      profession: rangeAround(world, professional).profession.id,
      ...around(city, random, 0.25),
    },
  });
};

/** The professionals, as they sign up. */
export const professionals = (world: World): Source => ({
  kind: 'professional',
  part: 'records',
  count: world.professionals,
  daysOf: (professional) => [signUpDay(world, professional)],
  commandOn: (professional, _day, at) => toCommand(world, professional, at),
});
