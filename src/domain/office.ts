import type { Static } from '../schema/typebox.ts';
import { defineEvent } from './events.ts';
import type { Decider } from './decider.ts';
import { Identifier, list, nullable, object, text } from '../schema/schema.ts';
import { Address, OfficeInfo } from '../schema/vocabulary.ts';

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
