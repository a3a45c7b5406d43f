import { cities, dental, names, type City } from './lists.ts';
import { randomExponential, itemAt, pick, rangeAt, rangeIndexOf, randomInteger, type Random } from './random.ts';
import { mostlySkipWeekend, FIRST_POSTING_DAY, createWorldOutline, type World, type WorldOptions } from './world.ts';

const noRoles = { professionalId: undefined, officeId: undefined, isAdmin: false, isAnalyst: false };

export const adminUserOf = ({ id }: World) => ({ ...noRoles, id: id('admin', 0), isAdmin: true });

export const officeUserOf = ({ id }: World, office: number) => ({
  ...noRoles,
  id: id('user of an office', office),
  officeId: id('office', office),
});

export const professionalUserOf = ({ id }: World, professional: number) => ({
  ...noRoles,
  id: id('user', professional),
  professionalId: id('professional', professional),
});

/** The cities of a world are a stretch of the round trip, so that a small world's places are near each other. */
const cityAt = ({ random }: World, place: number): City => {
  const start = Math.floor(random('route', 0)() * cities.length);
  return itemAt(cities, (start + place) % cities.length);
};

export const cityOfProfessional = (world: World, professional: number): City =>
  cityAt(world, rangeIndexOf(world.people, professional));

export const cityOfOffice = (world: World, office: number): City => cityAt(world, rangeIndexOf(world.offices, office));

/** A mile in degrees of latitude, and at the equator of longitude. */
const MILE = 1 / 69;
const decimals = (degrees: number) => Number(degrees.toFixed(4));

/** A place in or around a city: so many miles from its centre on average, and never more than `most`. */
export const randomPointNear = (
  { latitude, longitude }: City,
  random: Random,
  { mean, most }: { readonly mean: number; readonly most: number },
) => {
  const degrees = Math.min(most, mean * randomExponential(random)) * MILE;
  const bearing = 2 * Math.PI * random();
  const shrink = Math.cos((latitude * Math.PI) / 180);
  return {
    latitude: decimals(latitude + degrees * Math.cos(bearing)),
    longitude: decimals(longitude + (degrees * Math.sin(bearing)) / shrink),
  };
};

/** Exchange 555 and the last four digits from 0100 to 0199 are set apart for made-up numbers. */
export const randomPhoneIn = ({ areaCode }: City, random: Random): string =>
  `+1${areaCode}55501${String(randomInteger(random, 0, 99)).padStart(2, '0')}`;

export const officeNameOf = ({ random }: World, office: number): string => {
  const draw = random('name of an office', office);
  return `${pick(draw, names.officePrefixes)} ${pick(draw, names.officeSuffixes)}`;
};

/** How offices differ: how many days one takes to answer, and how often it hires or is silent, beside the others. */
export const hiringBehaviorOf = ({ random }: World, office: number) => {
  const draw = random('manners of an office', office);
  // The demo's office is a quick one, so that its candidates come to every state.
  return office === 0
    ? { days: 1.5, hires: 1, silence: 1 }
    : { days: 12 ** draw(), hires: 3 ** (2 * draw() - 1), silence: 2 ** (2 * draw() - 1) };
};

export const professionOf = ({ people, professions }: World, professional: number) => {
  const starts = itemAt(professions, rangeIndexOf(people, professional));
  return itemAt(dental.professions, rangeIndexOf(starts, professional));
};

export const professionalNameOf = (
  { random }: World,
  professional: number,
): { firstName: string; lastName: string } => {
  const draw = random('name of a professional', professional);
  return { firstName: pick(draw, names.first), lastName: pick(draw, names.last) };
};

/** The day on which a professional signs up. */
export const signUpDayOf = ({ random }: World, professional: number): number => {
  const draw = random('day of a professional', professional);
  return mostlySkipWeekend(randomInteger(draw, 0, FIRST_POSTING_DAY - 5), draw);
};

/** A posting's office, profession and specialty. The first is the first office's, for the most frequent profession. */
export const postingSubjectOf = ({ random, offices, postings }: World, posting: number) => {
  const draw = random('subject of a posting', posting);
  const { place, profession } = itemAt(postings, posting);
  const { from, size } = rangeAt(offices, place);
  return {
    // Some offices post more than other offices.
    office: posting === 0 ? 0 : from + Math.floor(size * draw() ** 2),
    profession: itemAt(dental.professions, profession),
    specialty: draw() < 0.5 ? itemAt(dental.specialties, 0) : pick(draw, dental.specialties),
  };
};

/** The n-th applicant of a posting: first those of its profession in the city of its office, then others there. */
export const nthApplicantOf = ({ random, postings }: World, posting: number, nth: number): number => {
  const { suited, all } = itemAt(postings, posting);
  const start = random('applicants', posting)();
  const turned = (number: number, size: number) => (number + Math.floor(start * size)) % size;
  if (nth < suited.size) return suited.from + turned(nth, suited.size);
  const other = all.from + turned(nth - suited.size, all.size - suited.size);
  return other < suited.from ? other : other + suited.size;
};

/** The professional whom the demo shows: the first applicant of the first posting. */
export const demoProfessionalIndexIn = (world: World): number => nthApplicantOf(world, 0, 0);

/**
 * The users to act as in the world that `planWorldCommands` plans with the same options, with the ids that bearer
 * tokens and paths name. The posting is the office's, is open, and has the most candidates of all, the professional
 * among them; the professional has saved postings too.
 */
export const demoPersonasOf = (options: WorldOptions) => {
  const world = createWorldOutline(options);
  const professional = demoProfessionalIndexIn(world);
  const { firstName, lastName } = professionalNameOf(world, professional);
  return {
    professional: { ...professionalUserOf(world, professional), name: `${firstName} ${lastName}` },
    office: { ...officeUserOf(world, 0), name: officeNameOf(world, 0) },
    admin: adminUserOf(world),
    postingId: world.id('posting', 0),
  };
};
