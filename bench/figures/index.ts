import type { FigureGroup } from '../figure.ts';
import { commands } from './commands.ts';
import { exportsGroup } from './exports.ts';
import { reads } from './reads.ts';
import { rebuildLive } from './rebuild-live.ts';
import { rebuildAll, rebuildOne } from './rebuilds.ts';
import { servers } from './servers.ts';
import { soak } from './soak.ts';
import { start } from './start.ts';
import { visible } from './visible.ts';

/** Every group of figures, in the order of the report. */
export const groups: readonly FigureGroup[] = [
  reads,
  commands,
  visible,
  rebuildOne,
  rebuildAll,
  rebuildLive,
  exportsGroup,
  start,
  soak,
  servers,
];
