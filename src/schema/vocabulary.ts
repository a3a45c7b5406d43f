import { Type, type Static, type TSchema } from './typebox.ts';
import { Identifier, list, nullable, object, text } from './schema.ts';

/** Words and shapes that commands, events, read models and answers share. */

export const officeStatuses = ['applied', 'scheduled', 'interviewed', 'hired', 'rejected'] as const;
export const hiringStatuses = ['open', 'hired', 'rejected', 'closed'] as const;
export const professionalStatuses = ['applied', 'scheduled', 'interviewed', 'hired', 'closed'] as const;
export const CandidateOfficeStatus = Type.Enum([...officeStatuses], { title: 'OfficeStatus' });
export type CandidateOfficeStatus = Static<typeof CandidateOfficeStatus>;
export const CandidateHiringStatus = Type.Enum([...hiringStatuses], { title: 'HiringStatus' });
export type CandidateHiringStatus = Static<typeof CandidateHiringStatus>;
export const CandidateProfessionalStatus = Type.Enum([...professionalStatuses], { title: 'ProfessionalStatus' });
export type CandidateProfessionalStatus = Static<typeof CandidateProfessionalStatus>;
export const PostingStatus = Type.Enum(['open', 'closed'], { title: 'PostingStatus' });

/** The caller owns the process of onboarding, so any step may follow any. */
export const OnboardingStatus = Type.Enum(
  ['invited', 'started', 'profile_completed', 'credentials_submitted', 'verified', 'rejected', 'suspended'],
  { title: 'OnboardingStatus' },
);
export type OnboardingStatus = Static<typeof OnboardingStatus>;

export const days = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const;
/** A member for each day of the week. */
export const weekdayProperties = <S extends TSchema>(member: S) => ({
  monday: member,
  tuesday: member,
  wednesday: member,
  thursday: member,
  friday: member,
  saturday: member,
  sunday: member,
});
const flag = Type.Boolean();

/** With the worker classifications (interface specification, 2.9 and 4.10). */
export const JobNotificationSettings = object(
  { ...weekdayProperties(flag), contractor: nullable(flag), employee: nullable(flag) },
  { title: 'JobNotificationSettings' },
);
export type JobNotificationSettings = Static<typeof JobNotificationSettings>;

const Salary = Type.Integer({ minimum: 0, maximum: 10_000_000 });
export const SalaryRange = object(
  { max: nullable(Salary), min: nullable(Salary), payType: nullable(text()), yearly: nullable(Salary) },
  { title: 'SalaryRange' },
);

export const Schedule = object(
  {
    expectedDays: Type.Array(Type.Integer({ minimum: 0, maximum: 6, description: '0 is Sunday.' }), {
      maxItems: 7,
      uniqueItems: true,
    }),
    type: nullable(text()),
  },
  { title: 'Schedule' },
);

/** A decimal number as text; the pattern holds its bounds. */
const decimal = (pattern: string, most: number) =>
  Type.String({ pattern, maxLength: 40, says: `must be a decimal number from -${most} to ${most}, as a text` });

export const Address = object(
  {
    city: nullable(text()),
    formattedAddress: nullable(text(2_000)),
    latitude: nullable(decimal('^[+-]?(?:90(?:\\.0+)?|[0-8]?\\d(?:\\.\\d+)?)$', 90)),
    longitude: nullable(decimal('^[+-]?(?:180(?:\\.0+)?|(?:1[0-7]|\\d)?\\d(?:\\.\\d+)?)$', 180)),
    postalCode: nullable(text()),
    state: nullable(text()),
  },
  { title: 'Address' },
);

export const OfficeInfo = object(
  {
    bestInDentalYears: list(Type.Integer({ minimum: 0, maximum: 9_999 })),
    insurances: list(text()),
    softwares: list(text()),
    isAssistedHygiene: nullable(flag),
    isDso: nullable(flag),
    isInfoAsked: nullable(flag),
    officeRating: nullable(Type.Number()),
    officeType: nullable(text()),
    patientsPerHour: nullable(text()),
    patientsPerHourDa: nullable(text()),
    patientsPerHourDn: nullable(text()),
    timePerPatientDA: nullable(text()),
    timePerPatientDN: nullable(text()),
    timePerPatientRDH: nullable(text()),
  },
  { title: 'OfficeInfo' },
);

/** What the rest of the business says of an office: the members of offerOwner (interface specification, 2.4). */
export const OfficeData = object({
  officeName: text(200, { minLength: 1 }),
  address: list(Address),
  officeInfo: nullable(OfficeInfo),
});
export type OfficeData = Static<typeof OfficeData>;

/** What the rest of the business says of a posting. */
export const PostingData = object({
  officeId: Identifier,
  title: text(200, { minLength: 1 }),
  description: nullable(text(20_000)),
  profession: text(200, { minLength: 1, description: 'The id of the profession that is wanted, like hygienist.' }),
  professionName: nullable(text()),
  subProfession: nullable(text()),
  subProfessionName: nullable(text()),
  specialty: nullable(text(200, { description: 'The name of a specialty, not its id; null: any.' })),
  state: nullable(text(200, { description: 'Of the USA, that the posting is in, like TX.' })),
  benefits: list(text()),
  benefitsOther: nullable(text(2_000)),
  procedures: list(text()),
  salaryRange: nullable(SalaryRange),
  schedule: nullable(Schedule),
});
export type PostingData = Static<typeof PostingData>;
