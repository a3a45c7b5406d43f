import fc from 'fast-check';
import { officeDecider } from '../../src/domain/office.ts';
import { postingDecider } from '../../src/domain/posting.ts';
import { professionalDecider } from '../../src/domain/professional.ts';
import { OnboardingStatus } from '../../src/schema/vocabulary.ts';
import { ids, latitudes, LONGITUDE, orNull, streamsOf } from './streams.ts';

/** What other systems record: professionals, offices and postings, revised now and then. */

const profile = fc.record({
  userId: fc.constantFrom(...ids.users),
  firstName: fc.constantFrom('Ada', 'Zoë'),
  lastName: fc.constantFrom('Ng', 'Ékström'),
  email: orNull(fc.constantFrom('a@example.com', 'b@example.com')),
  phone: orNull(fc.constantFrom('+12015550101', '+12015550102')),
  picture: fc.constant(null),
  yearsOfExperience: orNull(fc.constantFrom(1, 7)),
  profession: fc.constant('hygienist'),
  latitude: orNull(fc.constantFrom(...latitudes)),
  longitude: orNull(fc.constant(LONGITUDE)),
});

export const professionalStreams = streamsOf(professionalDecider, ids.professionals, (professionalId) => {
  const recorded = profile.map((facts) => ({
    type: 'ProfessionalRecorded' as const,
    data: { professionalId, ...facts },
  }));
  const onboarding = fc
    .constantFrom(...OnboardingStatus.enum)
    .map((status) => ({ type: 'OnboardingStatusChanged' as const, data: { professionalId, status } }));
  const later = fc.array(fc.oneof({ arbitrary: recorded, weight: 3 }, { arbitrary: onboarding, weight: 1 }), {
    maxLength: 4,
  });
  // Only a known professional takes a step.
  return fc.oneof(
    fc.constant([]),
    fc.tuple(recorded, later).map(([first, rest]) => [first, ...rest]),
  );
});

const address = fc.record({
  city: fc.constant('Newark'),
  formattedAddress: fc.constant(null),
  latitude: orNull(fc.constantFrom(...latitudes).map(String)),
  longitude: fc.constant(String(LONGITUDE)),
  postalCode: fc.constant(null),
  state: fc.constant('NJ'),
});

export const officeStreams = streamsOf(officeDecider, ids.offices, (officeId) =>
  fc.array(
    fc
      .record({
        officeName: fc.constantFrom('Bright Dental', 'Étoile'),
        address: fc.array(address, { maxLength: 2 }),
        officeInfo: fc.constant(null),
      })
      .map((facts) => ({ type: 'OfficeRecorded' as const, data: { officeId, ...facts } })),
    { maxLength: 4 },
  ),
);

const salaryRange = fc.record({
  max: fc.constant(60),
  min: orNull(fc.constant(50)),
  payType: fc.constant('hourly'),
  yearly: fc.constant(null),
});

const postingFacts = fc.record({
  officeId: fc.constantFrom(...ids.offices),
  title: fc.constantFrom('Hygienist', 'Assistant'),
  description: fc.constant(null),
  profession: fc.constantFrom('hygienist', 'assistant'),
  professionName: fc.constant(null),
  subProfession: fc.constant(null),
  subProfessionName: fc.constant(null),
  specialty: orNull(fc.constant('general')),
  state: fc.constant('NJ'),
  benefits: fc.constantFrom<string[][]>([], ['dental']),
  benefitsOther: fc.constant(null),
  procedures: fc.constantFrom<string[][]>([], ['scaling', '__proto__']),
  salaryRange: orNull(salaryRange),
  schedule: orNull(
    fc.record({ expectedDays: fc.constantFrom<number[][]>([1, 3], [0]), type: fc.constant('part-time') }),
  ),
});

export const postingStreams = streamsOf(postingDecider, ids.postings, (postingId) => {
  const recorded = postingFacts.map((facts) => ({ type: 'PostingRecorded' as const, data: { postingId, ...facts } }));
  const closed = { type: 'PostingClosed' as const, data: { postingId } };
  const revised = fc.array(recorded, { maxLength: 2 });
  // A posting closes at most once, and its facts may be revised after that too.
  const life = fc
    .tuple(recorded, revised, fc.boolean(), revised)
    .map(([first, before, closes, after]) => [first, ...before, ...(closes ? [closed, ...after] : [])]);
  return fc.oneof({ arbitrary: fc.constant([]), weight: 1 }, { arbitrary: life, weight: 5 });
});
