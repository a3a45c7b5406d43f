import { closePosting } from '../../../commands/postings/close-posting.ts';
import { recordPosting } from '../../../commands/postings/record-posting.ts';
import { benefits, otherBenefits, schedules, specialties } from './dental.ts';
import { cityOf, officeIn, officeNameOf, placeOfOffice } from './people.ts';
import { planCommand, type Activity } from './plan-command.ts';
import { chance, pick, pickByShare, pickSome, whole } from './random.ts';
import { DAYS, FIRST_POSTING_DAY, LAST_POSTING_DAY, type World } from './world.ts';

const POSTING_DAYS = LAST_POSTING_DAY - FIRST_POSTING_DAY + 1;
const CLOSING_SHARE = 0.25;

/** Postings come in the order of their numbers. */
export const publishDay = (world: World, posting: number): number =>
  FIRST_POSTING_DAY + Math.floor((posting * POSTING_DAYS) / world.postings);

/** How many postings are published by the end of a day. */
export const publishedBy = (world: World, day: number): number =>
  Math.min(world.postings, Math.ceil(((day - FIRST_POSTING_DAY + 1) * world.postings) / POSTING_DAYS));

/** The day on which a posting closes, or Infinity. The first one stays open; the second closes with any seed. */
export const closingDay = (world: World, posting: number): number => {
  const random = world.random('posting', posting, 1);
  const isClosing = posting === 1 || (posting > 1 && chance(random, CLOSING_SHARE));
  const day = publishDay(world, posting) + whole(random, 28, 45);
  return isClosing && day < DAYS ? day : Infinity;
};

/** A posting's office and profession. The first posting is the first office's, for the most frequent profession. */
export const subjectOf = (world: World, posting: number) => {
  const random = world.random('posting', posting, 2);
  // Some offices post more than other offices.
  const office = officeIn(world, posting % world.cities, random() ** 2);
  const profession = pickByShare(random, world.professions);
  const specialty = chance(random, 0.5) ? specialties[0] : pick(random, specialties);
  return posting === 0
    ? { office: 0, profession: world.professions[0], specialty }
    : { office, profession, specialty };
};

const HOURS_A_DAY = 8;
const WEEKS_A_YEAR = 52;

const factivitiesOf = (world: World, posting: number) => {
  const random = world.random('posting', posting, 3);
  const { office, profession, specialty } = subjectOf(world, posting);
  const { name: city, state } = cityOf(world, placeOfOffice(world, office));
  const subProfession = pick(random, profession.subProfessions);
  const schedule = pick(random, schedules);
  const { type, least, most } = profession.pay;
  const min = whole(random, least, Math.round((least + most) / 2));
  const max = whole(random, min + 1, most);
  const hours = type === 'hourly' ? HOURS_A_DAY : 1;
  return {
    officeId: world.id('office', office),
    title: `${subProfession.name}, ${schedule.type}`,
    description:
      `${officeNameOf(world, office)} in ${city} is looking for a ${subProfession.name.toLowerCase()} ` +
      `for ${specialty.name.toLowerCase()}, ${schedule.days.length} days a week.`,
    profession: profession.id,
    professionName: profession.name,
    subProfession: subProfession.id,
    subProfessionName: subProfession.name,
    specialty: specialty.name,
    state,
    benefits: pickSome(random, benefits, whole(random, 2, 6)),
    benefitsOther: pick(random, otherBenefits),
    procedures: pickSome(random, specialty.procedures, whole(random, 1, 4)).map(({ name }) => name),
    salaryRange: {
      min,
      max,
      payType: type,
      yearly: Math.round(((min + max) / 2) * hours * schedule.days.length * WEEKS_A_YEAR),
    },
    schedule: { expectedDays: [...schedule.days], type: schedule.type },
  };
};

/** Postings, as they are published. */
export const postingActivities = (world: World, posting: number): Activity[] => [
  {
    day: publishDay(world, posting),
    occasion: 0,
    plan: (ports) =>
      planCommand(ports, recordPosting, {
        params: { id: world.id('posting', posting) },
        body: factivitiesOf(world, posting),
      }),
  },
];

/** The closing of some postings. */
export const closingActivities = (world: World, posting: number): Activity[] => {
  const day = closingDay(world, posting);
  const params = { id: world.id('posting', posting) };
  return day < DAYS ? [{ day, plan: (ports) => planCommand(ports, closePosting, { params, body: {} }) }] : [];
};
