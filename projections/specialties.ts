import type { SpecialtyData } from '../src/domain/specialty.ts';
import { decodeDomainEvent, type DomainEvent } from '../src/domain/index.ts';
import type { Projection } from '../src/projector/projection.ts';
import { defineCollection } from '../src/read-models/port.ts';

/** A specialty with its procedures in the order in force. */
export const specialtiesCollection = defineCollection<SpecialtyData>({
  name: 'specialties',
  partition: 'id',
  indexes: [],
});

export const specialties: Projection<DomainEvent> = {
  name: 'specialties',
  version: 1,
  collections: [specialtiesCollection],
  // As the other projections, to be built in one pass with them; none of its events has a group of its own.
  shared: [specialtiesCollection],
  decode: decodeDomainEvent,
  handlers: {
    SpecialtyRecorded({ data: { specialtyId, ...facts } }, documents) {
      documents.put(specialtiesCollection, specialtyId, facts);
    },
    ProceduresReordered({ data: { specialtyId, procedureIds } }, documents) {
      const before = documents.get(specialtiesCollection, specialtyId);
      if (!before) return;
      const byId = new Map(before.procedures.map((procedure) => [procedure.id, procedure]));
      const procedures = procedureIds.flatMap((id) => byId.get(id) ?? []);
      documents.put(specialtiesCollection, specialtyId, { ...before, procedures });
    },
  },
};
