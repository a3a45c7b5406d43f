import { recordOffice } from '../../../commands/offices/record-office.ts';
import { recordProfessional } from '../../../commands/professionals/record-professional.ts';
import { recordSpecialty } from '../../../commands/specialties/record-specialty.ts';
import { insurances, officeTypes, softwares, specialties } from './dental.ts';
import { streets } from './names.ts';
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
} from './people.ts';
import { planCommand, type Activity } from './plan-command.ts';
import { chance, pick, pickSome, whole } from './random.ts';
import { FIRST_POSTING_DAY, type World } from './world.ts';

/** All specialties come on the first day. */
export const specialtyActivities = ({ id }: World, index: number): Activity[] => {
  const body = specialties[index] ?? specialties[0];
  const params = { id: id('specialty', index) };
  return [{ day: 0, plan: (ports) => planCommand(ports, recordSpecialty, { params, body }) }];
};

const officeFacts = (world: World, office: number) => {
  const random = world.random('office', office, 2);
  const city = cityOf(world, placeOfOffice(world, office));
  const { latitude, longitude } = around(city, random, 0.05);
  const street = `${whole(random, 1, 2_400)} ${pick(random, streets)}`;
  const officeType = pick(random, officeTypes);
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
      insurances: pickSome(random, insurances, whole(random, 2, 6)),
      softwares: pickSome(random, softwares, whole(random, 1, 2)),
      isAssistedHygiene: chance(random, 0.4),
      isDso: officeType === 'dso',
      isInfoAsked: chance(random, 0.3),
      officeRating: whole(random, 30, 50) / 10,
      officeType,
      patientsPerHour: String(whole(random, 1, 2)),
      patientsPerHourDa: String(whole(random, 1, 3)),
      patientsPerHourDn: String(whole(random, 1, 3)),
      timePerPatientDA: String(whole(random, 4, 9) * 5),
      timePerPatientDN: String(whole(random, 6, 12) * 5),
      timePerPatientRDH: String(whole(random, 9, 12) * 5),
    },
  };
};

/** Each office comes on one of the first days. */
export const officeActivities = (world: World, office: number): Activity[] => [
  {
    day: whole(world.random('office', office), 0, FIRST_POSTING_DAY - 1),
    occasion: 0,
    plan: (ports) =>
      planCommand(ports, recordOffice, {
        params: { id: world.id('office', office) },
        body: officeFacts(world, office),
      }),
  },
];

const letters = (name: string) =>
  name
    .normalize('NFD')
    .replace(/[^A-Za-z]/g, '')
    .toLowerCase();

const profileOf = (world: World, professional: number, id: string) => {
  const random = world.random('professional', professional, 2);
  const { firstName, lastName } = nameOf(world, professional);
  const city = cityOf(world, placeOfProfessional(world, professional));
  return {
    userId: world.id('user', professional),
    firstName,
    lastName,
    email: `${letters(firstName)}.${letters(lastName)}.${professional}@example.com`,
    phone: phoneIn(city, random),
    picture: chance(random, 0.7) ? `https://example.com/pictures/${id}.jpg` : undefined,
    yearsOfExperience: Math.floor(random() ** 1.6 * 35),
    profession: professionOf(world, professional).id,
    ...around(city, random, 0.25),
  };
};

/** Professionals, as they sign up. */
export const professionalActivities = (world: World, professional: number): Activity[] => [
  {
    day: signUpDay(world, professional),
    occasion: 0,
    plan(ports) {
      const id = world.id('professional', professional);
      return planCommand(ports, recordProfessional, {
        params: { id },
        body: profileOf(world, professional, id),
      });
    },
  },
];
