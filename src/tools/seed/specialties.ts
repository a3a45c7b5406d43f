import { recordSpecialty } from '../../../commands/specialties/record-specialty.ts';
import { reorderProcedures } from '../../../commands/specialties/reorder-procedures.ts';
import { specialties as known } from './dental.ts';
import type { World } from './layout.ts';
import { planCommand } from './plan-command.ts';
import type { Source } from './source.ts';
import { adminUser } from './users.ts';

const proceduresOf = (index: number) => known[index]?.procedures ?? [];

/** The specialties, all of which come on the first day. */
export const specialties = (world: World): Source => ({
  kind: 'specialty',
  part: 'records',
  count: known.length,
  daysOf: () => [0],
  commandOn: (index, day, at) =>
    planCommand(world, recordSpecialty, {
      at,
      key: ['specialty', index, day],
      params: { id: world.id('specialty', index) },
      body: { name: known[index]?.name, procedures: proceduresOf(index) },
    }),
});

const FIRST_REORDER_DAY = 30;

/** The administrator reverses the procedures of every second specialty. */
export const reorders = (world: World): Source => ({
  kind: 'reorder',
  part: 'acts',
  count: known.length,
  daysOf: (index) => (index % 2 === 0 ? [FIRST_REORDER_DAY + index] : []),
  commandOn: (index, day, at) =>
    planCommand(world, reorderProcedures, {
      at,
      key: ['reorder', index, day],
      user: adminUser(world),
      params: { id: world.id('specialty', index) },
      body: {
        procedure_ids: proceduresOf(index)
          .map(({ id }) => id)
          .reverse(),
      },
    }),
});
