import { recordOffice } from '../../../commands/offices/record-office.ts';
import { closePosting } from '../../../commands/postings/close-posting.ts';
import { recordPosting } from '../../../commands/postings/record-posting.ts';
import { recordProfessional } from '../../../commands/professionals/record-professional.ts';
import { recordSpecialty } from '../../../commands/specialties/record-specialty.ts';
import { activity, type Activity } from './activity.ts';
import { dental, names } from './lists.ts';
import {
  around,
  cityOf,
  nameOf,
  officeNameOf,
  phoneIn,
  placeOfOffice,
  placeOfProfessional,
  professionOf,
  signUpDay,
  subjectOf,
} from './people.ts';
import { chance, itemAt, pick, pickSome, whole, type Random } from './random.ts';
import { closingDay, DAYS, FIRST_POSTING_DAY, publishDay, weekday, type World } from './world.ts';

/** All specialties come on the first day. */
export const specialtyActivities = ({ id }: World, index: number): Activity[] => [
  activity(0, recordSpecialty, () => ({
    params: { id: id('specialty', index) },
    body: itemAt(dental.specialties, index),
  })),
];

const minutes = (random: Random, least: number, most: number) => String(5 * whole(random, least, most));

const officeFacts = (world: World, office: number, random: Random) => {
  const city = cityOf(world, placeOfOffice(world, office));
  const { latitude, longitude } = around(city, random, { mean: 3, most: 12 });
  const street = `${whole(random, 1, 2_400)} ${pick(random, names.streets)}`;
  const officeType = pick(random, dental.officeTypes);
  return {
    officeName: officeNameOf(world, office),
    address: [
      {
        city: city.name,
        formattedAddress: `${street}, ${city.name}, ${city.state} ${city.postalCode}`,
        latitude: String(latitude),
        longitude: String(longitude),
        postalCode: city.postalCode,
        state: city.state,
      },
    ],
    officeInfo: {
      bestInDentalYears: pickSome(random, [2022, 2023, 2024, 2025], whole(random, 0, 2)),
      insurances: pickSome(random, dental.insurances, whole(random, 2, 6)),
      softwares: pickSome(random, dental.softwares, whole(random, 1, 2)),
      isAssistedHygiene: chance(random, 0.4),
      isDso: officeType === 'dso',
      isInfoAsked: chance(random, 0.3),
      officeRating: whole(random, 30, 50) / 10,
      officeType,
      patientsPerHour: String(whole(random, 1, 2)),
      patientsPerHourDa: String(whole(random, 1, 3)),
      patientsPerHourDn: String(whole(random, 1, 3)),
      timePerPatientDA: minutes(random, 4, 9),
      timePerPatientDN: minutes(random, 6, 12),
      timePerPatientRDH: minutes(random, 9, 12),
    },
  };
};

/** Each office comes on one of the first days. */
export const officeActivities = (world: World, office: number): Activity[] => {
  const random = world.random('office', office);
  return [
    activity(weekday(whole(random, 0, FIRST_POSTING_DAY - 3)), recordOffice, () => ({
      params: { id: world.id('office', office) },
      body: officeFacts(world, office, random),
    })),
  ];
};

const letters = (name: string) =>
  name
    .normalize('NFD')
    .replace(/[^A-Za-z]/g, '')
    .toLowerCase();

/** Professionals, as they sign up. */
export const professionalActivities = (world: World, professional: number): Activity[] => [
  activity(signUpDay(world, professional), recordProfessional, () => {
    const id = world.id('professional', professional);
    const random = world.random('professional', professional);
    const { firstName, lastName } = nameOf(world, professional);
    const city = cityOf(world, placeOfProfessional(world, professional));
    const body = {
      userId: world.id('user', professional),
      firstName,
      lastName,
      email: `${letters(firstName)}.${letters(lastName)}.${professional}@example.com`,
      phone: phoneIn(city, random),
      picture: chance(random, 0.7) ? `https://example.com/pictures/${id}.jpg` : undefined,
      yearsOfExperience: Math.floor(random() ** 1.6 * 35),
      profession: professionOf(world, professional).id,
      ...around(city, random, { mean: 16, most: 60 }),
    };
    return { params: { id }, body };
  }),
];

const [HOURS_A_DAY, WEEKS_A_YEAR] = [8, 52];

const postingFacts = (world: World, posting: number) => {
  const random = world.random('posting', posting);
  const { office, profession, specialty } = subjectOf(world, posting);
  const { name: city, state } = cityOf(world, placeOfOffice(world, office));
  const subProfession = pick(random, profession.subProfessions);
  const schedule = pick(random, dental.schedules);
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
    benefits: pickSome(random, dental.benefits, whole(random, 2, 6)),
    benefitsOther: chance(random, 0.6) ? pick(random, dental.otherBenefits) : undefined,
    procedures: pickSome(random, specialty.procedures, whole(random, 1, 4)).map(({ name }) => name),
    salaryRange: {
      min,
      max,
      payType: type,
      yearly: Math.round(((min + max) / 2) * hours * schedule.days.length * WEEKS_A_YEAR),
    },
    schedule: { expectedDays: schedule.days, type: schedule.type },
  };
};

/** Postings, as they are published. */
export const postingActivities = (world: World, posting: number): Activity[] => [
  activity(publishDay(world, posting), recordPosting, () => ({
    params: { id: world.id('posting', posting) },
    body: postingFacts(world, posting),
  })),
];

/** The closing of some postings. */
export const closingActivities = (world: World, posting: number): Activity[] => {
  const day = closingDay(world, posting);
  const params = { id: world.id('posting', posting) };
  return day < DAYS ? [activity(day, closePosting, () => ({ params, body: {} }))] : [];
};
