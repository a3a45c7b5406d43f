import { list, mapSeveral, type Several } from './random.ts';

/** Each item is a name, with an id behind a colon where that is not the name in small letters with hyphens. */
const terms = (text: string) =>
  mapSeveral(list(text), (item) => {
    const [name = '', id = name.toLowerCase().replaceAll(' ', '-')] = item.split(': ');
    return { id, name };
  });

interface Profession {
  readonly id: string;
  readonly name: string;
  /** Of all professionals, and of all postings, in percent. */
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
    subProfessions: terms('Registered Dental Hygienist: rdh, Periodontal Hygienist, Pediatric Hygienist'),
    pay: { type: 'hourly', least: 36, most: 56 },
    skills: list('prophylaxis, scaling, x-rays, patient-education, local-anesthesia, sealants'),
  },
  {
    id: 'assistant',
    name: 'Dental Assistant',
    share: 28,
    subProfessions: terms(
      `Registered Dental Assistant: rda, Expanded Functions Dental Assistant: efda, Orthodontic Assistant,
      Surgical Dental Assistant: surgical-assistant`,
    ),
    pay: { type: 'hourly', least: 18, most: 30 },
    skills: list('chairside, sterilization, x-rays, impressions, four-handed-dentistry, coronal-polishing'),
  },
  {
    id: 'front-desk',
    name: 'Front Desk',
    share: 14,
    subProfessions: terms('Dental Receptionist: receptionist, Treatment Coordinator, Insurance Coordinator'),
    pay: { type: 'hourly', least: 17, most: 26 },
    skills: list('scheduling, insurance-claims, billing, patient-intake, telephone'),
  },
  {
    id: 'dentist',
    name: 'Dentist',
    share: 12,
    subProfessions: terms('Associate Dentist, Endodontist, Orthodontist, Pediatric Dentist'),
    pay: { type: 'daily', least: 620, most: 1_100 },
    skills: list('diagnosis, crowns, root-canals, extractions, implants, chairside-manner'),
  },
  {
    id: 'office-manager',
    name: 'Office Manager',
    share: 6,
    subProfessions: terms('Practice Manager, Operations Manager'),
    pay: { type: 'hourly', least: 27, most: 42 },
    skills: list('payroll, hiring, compliance, billing, team-leadership'),
  },
];

const specialty = (name: string, procedures: string) => ({ name, procedures: terms(procedures) });
export type Specialty = ReturnType<typeof specialty>;

export const specialties: Several<Specialty> = [
  specialty('General dentistry', 'Prophylaxis, Fillings, Crowns, X-rays, Sealants, Whitening'),
  specialty('Orthodontics', 'Braces, Clear aligners, Retainers, Records, Debonding'),
  specialty('Periodontics', 'Scaling, Gum grafts, Pocket charting, Laser therapy, Maintenance'),
  specialty('Endodontics', 'Root canals, Retreatment, Apicoectomy, Pulpotomy, Vitality tests'),
  specialty('Pediatric dentistry', 'Fluoride, Space maintainers, Sedation, Stainless crowns'),
  specialty('Prosthodontics', 'Dentures, Bridges, Veneers, Impressions, Bite registration'),
  specialty('Oral surgery', 'Extractions, Implants, Bone grafts, Biopsies, Suturing'),
  specialty('Cosmetic dentistry', 'Bonding, Bleaching, Smile design, Gum contouring'),
];

export const benefits = list(
  `Health insurance, Dental care, Vision insurance, 401(k), Paid time off, Paid holidays, Continuing education,
  License renewal, Scrubs allowance, Bonus, Malpractice insurance, Commuter allowance`,
);

export const otherBenefits: Several<string | undefined> = [
  undefined,
  ...list('Free parking, Closed on Fridays, Lunch on Wednesdays'),
  undefined,
];

export const insurances = list(
  `Delta Dental, Cigna, Aetna, MetLife, Guardian, Humana, United Concordia, Medicaid`,
);

export const softwares = list(
  `Dentrix, Eaglesoft, Open Dental, Curve Dental, Dexis, CareStack, Denticon, Carestream`,
);

export const officeTypes = list('private, group, dso, specialty, community-clinic');

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
