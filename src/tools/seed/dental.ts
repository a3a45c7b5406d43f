import { COMMA, words, type Several } from './random.ts';

export interface Profession {
  readonly id: string;
  readonly name: string;
  /** Of all professionals, and of all postings. */
  readonly share: number;
  readonly subProfessions: Several<{ readonly id: string; readonly name: string }>;
  /**
   * US dollars for an hour, or a day. The middle is near the median of the US Bureau of Labor Statistics (Occupational
   * Employment and Wage Statistics).
   */
  readonly pay: { readonly type: 'hourly' | 'daily'; readonly least: number; readonly most: number };
  readonly skills: Several<string>;
}

export const professions: Several<Profession> = [
  {
    id: 'hygienist',
    name: 'Dental Hygienist',
    share: 40,
    subProfessions: [
      { id: 'rdh', name: 'Registered Dental Hygienist' },
      { id: 'periodontal-hygienist', name: 'Periodontal Hygienist' },
      { id: 'pediatric-hygienist', name: 'Pediatric Hygienist' },
    ],
    pay: { type: 'hourly', least: 36, most: 56 },
    skills: ['prophylaxis', 'scaling', 'x-rays', 'patient-education', 'local-anesthesia', 'sealants'],
  },
  {
    id: 'assistant',
    name: 'Dental Assistant',
    share: 28,
    subProfessions: [
      { id: 'rda', name: 'Registered Dental Assistant' },
      { id: 'efda', name: 'Expanded Functions Dental Assistant' },
      { id: 'orthodontic-assistant', name: 'Orthodontic Assistant' },
      { id: 'surgical-assistant', name: 'Surgical Dental Assistant' },
    ],
    pay: { type: 'hourly', least: 18, most: 30 },
    skills: [
      'chairside',
      'sterilization',
      'x-rays',
      'impressions',
      'four-handed-dentistry',
      'coronal-polishing',
    ],
  },
  {
    id: 'front-desk',
    name: 'Front Desk',
    share: 14,
    subProfessions: [
      { id: 'receptionist', name: 'Dental Receptionist' },
      { id: 'treatment-coordinator', name: 'Treatment Coordinator' },
      { id: 'insurance-coordinator', name: 'Insurance Coordinator' },
    ],
    pay: { type: 'hourly', least: 17, most: 26 },
    skills: ['scheduling', 'insurance-claims', 'billing', 'patient-intake', 'telephone'],
  },
  {
    id: 'dentist',
    name: 'Dentist',
    share: 12,
    subProfessions: [
      { id: 'associate-dentist', name: 'Associate Dentist' },
      { id: 'endodontist', name: 'Endodontist' },
      { id: 'orthodontist', name: 'Orthodontist' },
      { id: 'pediatric-dentist', name: 'Pediatric Dentist' },
    ],
    pay: { type: 'daily', least: 620, most: 1_100 },
    skills: ['diagnosis', 'crowns', 'root-canals', 'extractions', 'implants', 'chairside-manner'],
  },
  {
    id: 'office-manager',
    name: 'Office Manager',
    share: 6,
    subProfessions: [
      { id: 'practice-manager', name: 'Practice Manager' },
      { id: 'operations-manager', name: 'Operations Manager' },
    ],
    pay: { type: 'hourly', least: 27, most: 42 },
    skills: ['payroll', 'hiring', 'compliance', 'billing', 'team-leadership'],
  },
];

export interface Specialty {
  readonly name: string;
  readonly procedures: Several<{ readonly id: string; readonly name: string }>;
}

const procedure = (name: string) => ({ id: name.toLowerCase().replaceAll(' ', '-'), name });
const specialty = (name: string, first: string, ...rest: string[]): Specialty => ({
  name,
  procedures: [procedure(first), ...rest.map(procedure)],
});

export const specialties: Several<Specialty> = [
  specialty('General dentistry', 'Prophylaxis', 'Fillings', 'Crowns', 'X-rays', 'Sealants', 'Whitening'),
  specialty('Orthodontics', 'Braces', 'Clear aligners', 'Retainers', 'Records', 'Debonding'),
  specialty('Periodontics', 'Scaling', 'Gum grafts', 'Pocket charting', 'Laser therapy', 'Maintenance'),
  specialty('Endodontics', 'Root canals', 'Retreatment', 'Apicoectomy', 'Pulpotomy', 'Vitality tests'),
  specialty('Pediatric dentistry', 'Fluoride', 'Space maintainers', 'Sedation', 'Stainless crowns'),
  specialty('Prosthodontics', 'Dentures', 'Bridges', 'Veneers', 'Impressions', 'Bite registration'),
  specialty('Oral surgery', 'Extractions', 'Implants', 'Bone grafts', 'Biopsies', 'Suturing'),
  specialty('Cosmetic dentistry', 'Bonding', 'Bleaching', 'Smile design', 'Gum contouring'),
];

export const benefits = words(
  `Health insurance, Dental care, Vision insurance, 401(k), Paid time off, Paid holidays, Continuing education,
  License renewal, Scrubs allowance, Bonus, Malpractice insurance, Commuter allowance`,
  COMMA,
);

export const otherBenefits: Several<string | undefined> = [
  undefined,
  'Free parking',
  'Closed on Fridays',
  'Lunch on Wednesdays',
  undefined,
];

export const insurances = words(
  `Delta Dental, Cigna, Aetna, MetLife, Guardian, Humana, United Concordia, Medicaid`,
  COMMA,
);

export const softwares = words(
  `Dentrix, Eaglesoft, Open Dental, Curve Dental, Dexis, CareStack, Denticon, Carestream`,
  COMMA,
);

export const officeTypes: Several<string> = ['private', 'group', 'dso', 'specialty', 'community-clinic'];

/** Days of the week, 0 is Sunday. */
export const schedules: Several<{ readonly type: string; readonly days: Several<number> }> = [
  { type: 'full-time', days: [1, 2, 3, 4, 5] },
  { type: 'full-time', days: [1, 2, 3, 4] },
  { type: 'full-time', days: [2, 3, 4, 5] },
  { type: 'part-time', days: [1, 3, 5] },
  { type: 'part-time', days: [2, 4] },
  { type: 'part-time', days: [3, 4, 6] },
  { type: 'temporary', days: [1, 2] },
  { type: 'weekend', days: [6] },
];
