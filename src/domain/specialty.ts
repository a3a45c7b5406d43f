import type { Static } from '../schema/typebox.ts';
import { defineEvent } from '../streams/events.ts';
import type { Decider } from '../streams/decider.ts';
import { Identifier, list, object, text } from '../schema/schema.ts';

const Procedure = object({ id: Identifier, name: text(200, { minLength: 1 }) });
export const SpecialtyData = object({ name: text(200, { minLength: 1 }), procedures: list(Procedure) });
export type SpecialtyData = Static<typeof SpecialtyData>;

export const specialtyEvents = [
  defineEvent('SpecialtyRecorded', 'The rest of the business told the procedures of a specialty, and their order.', {
    specialtyId: Identifier,
    ...SpecialtyData.properties,
  }),
  defineEvent('ProceduresReordered', 'An administrator gave the procedures of a specialty another order.', {
    specialtyId: Identifier,
    procedureIds: list(Identifier),
  }),
] as const;

export interface SpecialtyState {
  /** In the order last recorded; null until the specialty is known. */
  readonly facts: SpecialtyData | null;
  /** Procedure ids in the order in force. */
  readonly order: readonly string[];
}

export const specialtyDecider: Decider<SpecialtyState, typeof specialtyEvents> = {
  category: 'specialty',
  events: specialtyEvents,
  initialState: { facts: null, order: [] },
  evolve(state, event) {
    switch (event.type) {
      case 'SpecialtyRecorded': {
        const { specialtyId: _id, ...facts } = event.data;
        return { facts, order: facts.procedures.map(({ id }) => id) };
      }
      case 'ProceduresReordered':
        return { ...state, order: event.data.procedureIds };
    }
  },
};
