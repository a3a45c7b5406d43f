import { defineEvent } from '../streams/events.ts';
import type { Decider } from '../streams/decider.ts';
import { Identifier } from '../schema/schema.ts';
import { OfficeData } from '../schema/vocabulary.ts';

export const officeEvents = [
  defineEvent('OfficeRecorded', 'The rest of the business told what it knows of an office.', {
    officeId: Identifier,
    ...OfficeData.properties,
  }),
] as const;

/** Null until the office is known. */
export type OfficeState = OfficeData | null;

export const officeDecider: Decider<OfficeState, typeof officeEvents> = {
  category: 'office',
  events: officeEvents,
  initialState: null,
  evolve: (_state, { data: { officeId: _id, ...facts } }) => facts,
};
