import type { SpecialtyFacts } from '../src/domain/specialty.ts';
import { decode, type DomainEvent } from '../src/domain/index.ts';
import type { Projection } from '../src/projector/projection.ts';
import { defineCollection } from '../src/read-models/port.ts';

/** A specialty with its procedures in the order in force. */
export const specialtiesById = defineCollection<SpecialtyFacts>({
  name: 'specialties',
  partition: 'id',
  indexes: [],
});

export const specialties: Projection<DomainEvent> = {
  name: 'specialties',
  version: 1,
  collections: [specialtiesById],
  // As the other projections, to be built in one pass with them; none of its events has a group of its own.
  shared: [specialtiesById],
  decode,
  handlers: {
    SpecialtyRecorded({ data: { specialtyId, ...facts } }, documents) {
      documents.put(specialtiesById, specialtyId, facts);
    },
    ProceduresReordered({ data: { specialtyId, procedureIds } }, documents) {
      const before = documents.get(specialtiesById, specialtyId);
      if (!before) return;
      const byId = new Map(before.procedures.map((procedure) => [procedure.id, procedure]));
      const procedures = procedureIds.flatMap((id) => byId.get(id) ?? []);
      documents.put(specialtiesById, specialtyId, { ...before, procedures });
    },
  },
};
