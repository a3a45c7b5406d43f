/** The people, offices, postings and requests of the tests: the one place for test data. */

export const ids = {
  professional: 'professional-ann',
  user: 'user-ann',
  otherProfessional: 'professional-bob',
  otherUser: 'user-bob',
  office: 'office-bright',
  officeUser: 'user-olivia',
  otherOffice: 'office-calm',
  otherOfficeUser: 'user-otto',
  admin: 'user-ada',
  posting: 'posting-hygienist',
  otherPosting: 'posting-assistant',
  specialty: 'specialty-ortho',
} as const;

/** The metadata of an event that a test stores by itself. */
export const metadata = {
  $correlationId: 'r1',
  $causationId: 'r1',
  actor: 'key:directory',
  requestId: 'r1',
  recordedAt: '2026-03-01T09:30:00.000Z',
};

/** The claims of each user's bearer token. */
export const claims = {
  professional: { sub: ids.user, professional_id: ids.professional },
  otherProfessional: { sub: ids.otherUser, professional_id: ids.otherProfessional },
  office: { sub: ids.officeUser, office_id: ids.office },
  otherOffice: { sub: ids.otherOfficeUser, office_id: ids.otherOffice },
  officeAdmin: { sub: 'user-of-admin', office_id: 'admin' },
  admin: { sub: ids.admin, roles: ['admin'] },
  analyst: { sub: 'user-analyst', roles: ['analyst'] },
  adminWithOffice: { sub: ids.admin, office_id: ids.otherOffice, roles: ['admin'] },
  nobody: { sub: 'user-nobody' },
} as const;

/** The API keys that the service of the tests knows. */
export const apiKeys = { client: 'test-client-key', internal: 'test-internal-key' } as const;

/** Request bodies, each complete and valid. */
export const bodies = {
  office: {
    officeName: 'Bright Smiles',
    address: [
      {
        city: 'Austin',
        formattedAddress: '500 Congress Ave, Austin, TX 78701',
        latitude: '30.2672',
        longitude: '-97.7431',
        postalCode: '78701',
        state: 'TX',
      },
    ],
    officeInfo: {
      bestInDentalYears: [2023, 2024],
      insurances: ['Delta Dental'],
      softwares: ['Dentrix'],
      isAssistedHygiene: true,
      isDso: false,
      isInfoAsked: false,
      officeRating: 4.5,
      officeType: 'private',
      patientsPerHour: '1',
      patientsPerHourDa: '2',
      patientsPerHourDn: '3',
      timePerPatientDA: '30',
      timePerPatientDN: '45',
      timePerPatientRDH: '60',
    },
  },
  professional: {
    userId: ids.user,
    firstName: 'Ann',
    lastName: 'Lee',
    email: 'ann.lee@example.com',
    phone: '+15125550123',
    picture: 'https://example.com/ann.png',
    yearsOfExperience: 7,
    profession: 'hygienist',
    latitude: 30.5083,
    longitude: -97.6789,
  },
  posting: {
    officeId: ids.office,
    title: 'Dental hygienist, three days a week',
    description: 'A calm practice near the river.',
    profession: 'hygienist',
    professionName: 'Dental Hygienist',
    subProfession: 'rdh',
    subProfessionName: 'Registered Dental Hygienist',
    specialty: 'general',
    state: 'TX',
    benefits: ['Health insurance'],
    benefitsOther: 'Free parking',
    procedures: ['prophylaxis'],
    salaryRange: { min: 45, max: 55, payType: 'hourly', yearly: 90_000 },
    schedule: { expectedDays: [1, 3, 5], type: 'part-time' },
  },
  specialty: {
    name: 'Orthodontics',
    procedures: [
      { id: 'braces', name: 'Braces' },
      { id: 'aligners', name: 'Clear aligners' },
      { id: 'retainers', name: 'Retainers' },
    ],
  },
  application: { resumeId: 'resume-1' },
  review: {
    endorsed: ['prophylaxis', 'x-rays'],
    renounced: ['scaling'],
    profession: 'hygienist',
    specialty: 'general',
    jobID: ids.posting,
  },
  settings: {
    monday: true,
    tuesday: true,
    wednesday: false,
    thursday: true,
    friday: true,
    saturday: false,
    sunday: false,
    contractor: true,
    employee: false,
  },
} as const;

export const phoneNumbers = { profile: '+15125550123', wanted: '+15125550188', other: '+15125550199' } as const;

/** Homes by their estimated distance along roads from the office of `bodies.office`: about 22, 96 and 236 miles. */
export const homes = {
  near: { latitude: 30.5083, longitude: -97.6789 },
  sanAntonio: { latitude: 29.4241, longitude: -98.4936 },
  dallas: { latitude: 32.7767, longitude: -96.797 },
} as const;

/** Points in time, in order. */
export const times = {
  start: '2026-03-02T09:00:00.000Z',
  /** The time of the command. */
  now: '2026-03-02T09:05:00.000Z',
  later: '2026-03-02T09:10:00.000Z',
  interview: '2026-03-10T15:00:00.000Z',
  otherInterview: '2026-03-11T16:30:00.000Z',
} as const;

/** The candidates of `ids.posting`: UUIDv5 of posting and professional. */
export const candidateIds = {
  professional: '25a76336-26b6-57c0-b698-29495bc83f77',
  otherProfessional: 'b38c8ba9-0aff-5c36-bb0e-593d48e03050',
} as const;

export const codes = { right: '123456', wrong: '654321' } as const;
