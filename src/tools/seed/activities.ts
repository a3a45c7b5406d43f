import { recordOffice } from '../../../commands/offices/record-office.ts';
import { closePosting } from '../../../commands/postings/close-posting.ts';
import { recordPosting } from '../../../commands/postings/record-posting.ts';
import { recordProfessional } from '../../../commands/professionals/record-professional.ts';
import { updateOnboardingStatus } from '../../../commands/professionals/update-onboarding-status.ts';
import { savePosting } from '../../../commands/saved-postings/save-posting.ts';
import { unsavePosting } from '../../../commands/saved-postings/unsave-posting.ts';
import { recordSpecialty } from '../../../commands/specialties/record-specialty.ts';
import { reorderProcedures } from '../../../commands/specialties/reorder-procedures.ts';
import { issuePhoneCode } from '../../../commands/users/issue-phone-code.ts';
import { setJobNotificationSettings } from '../../../commands/users/set-job-notification-settings.ts';
import { updatePhoneNumber } from '../../../commands/users/update-phone-number.ts';
import { verifyPhoneCode } from '../../../commands/users/verify-phone-code.ts';
import { createCodeCrypto } from '../../ports/code-crypto.ts';
import { OnboardingStatus } from '../../schema/vocabulary.ts';
import { createActivity, type Activity } from './activity.ts';
import { dental, names } from './lists.ts';
import {
  adminUserOf,
  randomPointNear,
  cityOfOffice,
  cityOfProfessional,
  demoProfessionalIndexIn,
  professionalNameOf,
  officeNameOf,
  randomPhoneIn,
  professionalUserOf,
  professionOf,
  signUpDayOf,
  postingSubjectOf,
} from './people.ts';
import { chance, itemAt, pick, pickByShare, pickSome, rangeIndexOf, randomInteger, type Random } from './random.ts';
import {
  mostlySkipWeekend,
  closingDayOf,
  DAYS,
  FIRST_POSTING_DAY,
  publishDayOf,
  skipWeekend,
  type World,
} from './world.ts';

/** All specialties come on the first day. */
export const specialtyActivities = ({ id }: World, index: number): Activity[] => [
  createActivity(0, recordSpecialty, () => ({
    params: { id: id('specialty', index) },
    body: itemAt(dental.specialties, index),
  })),
];

const minutes = (random: Random, least: number, most: number) => String(5 * randomInteger(random, least, most));

const officeFacts = (world: World, office: number, random: Random) => {
  const place = cityOfOffice(world, office);
  const { latitude, longitude } = randomPointNear(place, random, { mean: 3, most: 12 });
  const street = `${randomInteger(random, 1, 2_400)} ${pick(random, names.streets)}`;
  const officeType = pick(random, dental.officeTypes);
  const { name: city, state, postalCode } = place;
  const formattedAddress = `${street}, ${city}, ${state} ${postalCode}`;
  const coordinates = { latitude: String(latitude), longitude: String(longitude) };
  return {
    officeName: officeNameOf(world, office),
    address: [{ city, formattedAddress, ...coordinates, postalCode, state }],
    officeInfo: {
      bestInDentalYears: pickSome(random, [2022, 2023, 2024, 2025], randomInteger(random, 0, 2)),
      insurances: pickSome(random, dental.insurances, randomInteger(random, 2, 6)),
      softwares: pickSome(random, dental.softwares, randomInteger(random, 1, 2)),
      isAssistedHygiene: chance(random, 0.4),
      isDso: officeType === 'dso',
      isInfoAsked: chance(random, 0.3),
      officeRating: randomInteger(random, 30, 50) / 10,
      officeType,
      patientsPerHour: String(randomInteger(random, 1, 2)),
      patientsPerHourDa: String(randomInteger(random, 1, 3)),
      patientsPerHourDn: String(randomInteger(random, 1, 3)),
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
    createActivity(skipWeekend(randomInteger(random, 0, FIRST_POSTING_DAY - 3)), recordOffice, () => ({
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
  createActivity(signUpDayOf(world, professional), recordProfessional, () => {
    const id = world.id('professional', professional);
    const random = world.random('professional', professional);
    const { firstName, lastName } = professionalNameOf(world, professional);
    const city = cityOfProfessional(world, professional);
    const body = {
      userId: world.id('user', professional),
      firstName,
      lastName,
      email: `${letters(firstName)}.${letters(lastName)}.${professional}@example.com`,
      phone: randomPhoneIn(city, random),
      picture: chance(random, 0.7) ? `https://example.com/pictures/${id}.jpg` : undefined,
      yearsOfExperience: Math.floor(random() ** 1.6 * 35),
      profession: professionOf(world, professional).id,
      ...randomPointNear(city, random, { mean: 16, most: 60 }),
    };
    return { params: { id }, body };
  }),
];

const [HOURS_A_DAY, WEEKS_A_YEAR] = [8, 52];

const postingFacts = (world: World, posting: number) => {
  const random = world.random('posting', posting);
  const { office, profession, specialty } = postingSubjectOf(world, posting);
  const { name: city, state } = cityOfOffice(world, office);
  const subProfession = pick(random, profession.subProfessions);
  const schedule = pick(random, dental.schedules);
  const { type, least, most } = profession.pay;
  const min = randomInteger(random, least, Math.round((least + most) / 2));
  const max = randomInteger(random, min + 1, most);
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
    benefits: pickSome(random, dental.benefits, randomInteger(random, 2, 6)),
    benefitsOther: chance(random, 0.6) ? pick(random, dental.otherBenefits) : undefined,
    procedures: pickSome(random, specialty.procedures, randomInteger(random, 1, 4)).map(({ name }) => name),
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
  createActivity(publishDayOf(world, posting), recordPosting, () => ({
    params: { id: world.id('posting', posting) },
    body: postingFacts(world, posting),
  })),
];

/** The closing of some postings. */
export const closingActivities = (world: World, posting: number): Activity[] => {
  const day = closingDayOf(world, posting);
  const params = { id: world.id('posting', posting) };
  return day < DAYS ? [createActivity(day, closePosting, () => ({ params, body: {} }))] : [];
};

/** The administrator reverses the procedures of every second specialty. */
export const procedureReorderActivities = (world: World, index: number): Activity[] => {
  if (index % 2 === 1) return [];
  const { procedures } = itemAt(dental.specialties, index);
  const body = { procedure_ids: procedures.map(({ id }) => id).reverse() };
  const params = { id: world.id('specialty', index) };
  return [
    createActivity(skipWeekend(30 + index), reorderProcedures, () => ({ user: adminUserOf(world), params, body })),
  ];
};

/** The administrator sets the job notifications of some users, each once. */
export const settingsActivities = (world: World, professional: number): Activity[] => {
  const random = world.random('settings', professional);
  if (!chance(random, 0.12) && professional !== demoProfessionalIndexIn(world)) return [];
  const day = mostlySkipWeekend(randomInteger(random, FIRST_POSTING_DAY, 60), random);
  const flag = (probability: number) => chance(random, probability);
  return [
    createActivity(day, setJobNotificationSettings, () => ({
      user: adminUserOf(world),
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

/** In the order of the enum, up to the statuses that end an onboarding early or late. */
const steps = OnboardingStatus.enum.slice(0, 5);

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
  let day = signUpDayOf(world, professional);
  return statuses.map((status) => {
    day = mostlySkipWeekend(day + randomInteger(random, 1, 4), random);
    return createActivity(day, updateOnboardingStatus, () => ({ params, body: { status } }));
  });
};

/** Saves on different days, mostly of postings in the own city, and after them one that is taken back. */
export const savedPostingActivities = (world: World, professional: number): Activity[] => {
  const random = world.random('saves', professional);
  const isDemo = professional === demoProfessionalIndexIn(world);
  if (!isDemo && !chance(random, 0.45)) return [];
  const near = itemAt(world.postingsIn, rangeIndexOf(world.people, professional));
  const count = isDemo ? 4 : randomInteger(random, 1, 5);
  // The demo's are late enough for a small world to have some postings.
  let day = mostlySkipWeekend(FIRST_POSTING_DAY + (isDemo ? 40 : randomInteger(random, 2, 40)), random);
  const saves = new Map<number, number>();
  // What is not published yet, or saved already, is no choice; a small world has few.
  for (let choices = 0; choices < 8 * count && saves.size < count; choices++) {
    const isNear = near.length > 0 && chance(random, 0.75);
    const any = isNear ? pick(random, near) : randomInteger(random, 0, world.postings.length - 1);
    const posting = isDemo && saves.size === 0 ? 0 : any;
    if (saves.has(posting) || publishDayOf(world, posting) > day) continue;
    saves.set(posting, day);
    day = mostlySkipWeekend(day + randomInteger(random, 1, 5), random);
  }
  const user = professionalUserOf(world, professional);
  const bodyOf = (posting: number) => ({ postingId: world.id('posting', posting) });
  const activities = Array.from(saves, ([posting, on]) =>
    createActivity(on, savePosting, () => ({ user, params: {}, body: bodyOf(posting) })),
  );
  const regretted = [...saves.keys()][isDemo ? 1 : 0];
  if (saves.size > 2 && regretted !== undefined && (isDemo || chance(random, 0.3)))
    activities.push(createActivity(day, unsavePosting, () => ({ user, params: {}, body: bodyOf(regretted) })));
  return activities;
};

/** Keys the phone change's code and token, both of which are spent in the history. */
export const seedSecrets = createCodeCrypto('the seed keys its spent codes with this');

const PHONE_DAY = 70;

/** One user's new phone number, by the legacy flow: a code, its answer, the change, each in its own part of the day. */
export const phoneActivities = (world: World): Activity[] => {
  const professional = demoProfessionalIndexIn(world);
  const user = professionalUserOf(world, professional);
  const phoneNumber = randomPhoneIn(cityOfProfessional(world, professional), world.random('new phone number', 0));
  // The command mints the request's id first, then the code's id and the code.
  const ids = world.mint(world.timeOf('phone', 0, PHONE_DAY, 'codeIssued'), 'phone', 0, PHONE_DAY);
  const [, codeId, code] = [ids.uuid(), ids.uuid(), ids.code()];
  return [
    createActivity(PHONE_DAY, issuePhoneCode, () => ({ user, params: {}, body: { phoneNumber } })),
    createActivity(PHONE_DAY, verifyPhoneCode, () => ({ user, params: { codeId }, body: { code } })),
    createActivity(PHONE_DAY, updatePhoneNumber, () => ({
      user,
      params: {},
      body: { requestToken: seedSecrets.tokenOf(codeId) },
    })),
  ];
};
