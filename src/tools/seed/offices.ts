import { recordOffice } from '../../../commands/offices/record-office.ts';
import type { User } from '../../access/access.ts';
import { FIRST_POSTING_DAY } from './calendar.ts';
import { cities, type City } from './cities.ts';
import { insurances, officeTypes, softwares } from './dental.ts';
import type { World } from './layout.ts';
import { officePrefixes, officeSuffixes, streets } from './names.ts';
import { planCommand, type PlannedCommand } from './plan-command.ts';
import { chance, pick, pickSome, whole } from './random.ts';
import type { Source } from './source.ts';

/** The cities of a world are a stretch of the round trip, so that a small world's places are near each other. */
export const cityOf = (world: World, place: number): City => {
  const start = Math.floor(world.random('route', 0)() * cities.length);
  return cities[(start + place) % cities.length] ?? cities[0];
};

/** The offices of a city: `place`, `place + world.cities`, and so on. */
export const officeIn = (world: World, place: number, share: number): number =>
  place + world.cities * Math.floor(share * Math.ceil((world.offices - place) / world.cities));

export const placeOfOffice = (world: World, office: number): number => office % world.cities;

export const officeUser = (world: World, office: number): User => ({
  id: world.id('officeUser', office),
  professionalId: undefined,
  officeId: world.id('office', office),
  isAdmin: false,
  isAnalyst: false,
});

export const officeNameOf = (world: World, office: number): string => {
  const random = world.random('office', office, 1);
  return `${pick(random, officePrefixes)} ${pick(random, officeSuffixes)}`;
};

const decimals = (degrees: number) => Number(degrees.toFixed(4));
/** A place in or near a city, at most so many degrees from its centre. */
export const around = (city: City, random: () => number, degrees: number) => ({
  latitude: decimals(city.latitude + (random() * 2 - 1) * degrees),
  longitude: decimals(city.longitude + (random() * 2 - 1) * degrees),
});

const toCommand = (world: World, office: number, at: number): PlannedCommand => {
  const random = world.random('office', office, 2);
  const city = cityOf(world, placeOfOffice(world, office));
  const { latitude, longitude } = around(city, random, 0.05);
  const street = `${whole(random, 1, 2_400)} ${pick(random, streets)}`;
  const officeType = pick(random, officeTypes);
  return planCommand(world, recordOffice, {
    at,
    key: ['office', office, 0],
    params: { id: world.id('office', office) },
    body: {
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
    },
  });
};

/** The offices, each of which comes on one of the first days. */
export const offices = (world: World): Source => ({
  kind: 'office',
  part: 'records',
  count: world.offices,
  daysOf: (office) => [whole(world.random('office', office), 0, FIRST_POSTING_DAY - 1)],
  commandOn: (office, _day, at) => toCommand(world, office, at),
});
