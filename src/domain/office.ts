import { Type, type Static } from 'typebox';
import { defineEvent } from '../events.ts';
import type { Decider } from '../decider.ts';
import { Identifier, list, nullable, object, text } from '../schema.ts';

/** A decimal number as text, within bounds that the pattern spells out. */
const decimal = (pattern: string, most: number) =>
  Type.String({ pattern, maxLength: 40, says: `must be a decimal number from -${most} to ${most}, as a text` });

const Address = object({
  city: nullable(text()),
  formattedAddress: nullable(text(2_000)),
  latitude: nullable(decimal('^[+-]?(?:90(?:\\.0+)?|[0-8]?\\d(?:\\.\\d+)?)$', 90)),
  longitude: nullable(decimal('^[+-]?(?:180(?:\\.0+)?|(?:1[0-7]|\\d)?\\d(?:\\.\\d+)?)$', 180)),
  postalCode: nullable(text()),
  state: nullable(text()),
});

const OfficeInfo = object({
  bestInDentalYears: list(Type.Integer({ minimum: 0, maximum: 9_999 })),
  insurances: list(text()),
  softwares: list(text()),
  isAssistedHygiene: nullable(Type.Boolean()),
  isDso: nullable(Type.Boolean()),
  isInfoAsked: nullable(Type.Boolean()),
  officeRating: nullable(Type.Number()),
  officeType: nullable(text()),
  patientsPerHour: nullable(text()),
  patientsPerHourDa: nullable(text()),
  patientsPerHourDn: nullable(text()),
  timePerPatientDA: nullable(text()),
  timePerPatientDN: nullable(text()),
  timePerPatientRDH: nullable(text()),
});

/** What the rest of the business says of an office: the members of offerOwner (interface specification, 2.4). */
export const OfficeFacts = object({
  officeName: text(200, { minLength: 1 }),
  address: list(Address),
  officeInfo: nullable(OfficeInfo),
});
export type OfficeFacts = Static<typeof OfficeFacts>;

export const officeEvents = [
  defineEvent('OfficeRecorded', 'The rest of the business told what it knows of an office.', {
    officeId: Identifier,
    ...OfficeFacts.properties,
  }),
] as const;

/** Null until the office is known. */
export type OfficeState = OfficeFacts | null;

export const office: Decider<OfficeState, typeof officeEvents> = {
  category: 'office',
  events: officeEvents,
  initialState: null,
  evolve: (_state, { data: { officeId: _id, ...facts } }) => facts,
};
