import { cities, type City } from './cities.ts';
import { firstNames, lastNames, officePrefixes, officeSuffixes } from './names.ts';
import { pick, whole, type Random } from './random.ts';
import { FIRST_POSTING_DAY, type World } from './world.ts';

const noRoles = { professionalId: undefined, officeId: undefined, isAdmin: false, isAnalyst: false };

export const adminUser = ({ id }: World) => ({ ...noRoles, id: id('admin', 0), isAdmin: true });

export const officeUser = ({ id }: World, office: number) => ({
  ...noRoles,
  id: id('officeUser', office),
  officeId: id('office', office),
});

export const professionalUser = ({ id }: World, professional: number) => ({
  ...noRoles,
  id: id('user', professional),
  professionalId: id('professional', professional),
});

/** The cities of a world are a stretch of the round trip, so that a small world's places are near each other. */
export const cityOf = (world: World, place: number): City => {
  const start = Math.floor(world.random('route', 0)() * cities.length);
  return cities[(start + place) % cities.length] ?? cities[0];
};

const decimals = (degrees: number) => Number(degrees.toFixed(4));
/** A place in or near a city, at most so many degrees from its centre. */
export const around = ({ latitude, longitude }: City, random: Random, degrees: number) => ({
  latitude: decimals(latitude + (random() * 2 - 1) * degrees),
  longitude: decimals(longitude + (random() * 2 - 1) * degrees),
});

/** Exchange 555 and the last four digits from 0100 to 0199 are set apart for made-up numbers. */
export const phoneIn = ({ areaCode }: City, random: Random): string =>
  `+1${areaCode}55501${String(whole(random, 0, 99)).padStart(2, '0')}`;

/** The offices of a city: `place`, `place + world.cities`, and so on. */
export const officeIn = (world: World, place: number, share: number): number =>
  place + world.cities * Math.floor(share * Math.ceil((world.offices - place) / world.cities));

export const placeOfOffice = (world: World, office: number): number => office % world.cities;

export const officeNameOf = (world: World, office: number): string => {
  const random = world.random('office', office, 1);
  return `${pick(random, officePrefixes)} ${pick(random, officeSuffixes)}`;
};

export const professionOf = ({ professions }: World, professional: number) =>
  professions.find(({ from, size }) => professional < from + size) ?? professions[0];

export const placeOfProfessional = (world: World, professional: number): number => {
  const { from, size } = professionOf(world, professional);
  return Math.floor(((professional - from) * world.cities) / size);
};

export const nameOf = (world: World, professional: number): { firstName: string; lastName: string } => {
  const random = world.random('professional', professional, 1);
  return { firstName: pick(random, firstNames), lastName: pick(random, lastNames) };
};

/** The day on which a professional signs up. */
export const signUpDay = (world: World, professional: number): number =>
  whole(world.random('professional', professional), 0, FIRST_POSTING_DAY - 1);
