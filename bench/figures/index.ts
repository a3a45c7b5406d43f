import type { FigureGroup } from '../figure.ts';
import { appends } from './appends.ts';
import { bigPosting } from './big-posting.ts';
import { commands } from './commands.ts';
import { historyBeside } from './history-beside.ts';
import { history } from './history.ts';
import { reads } from './reads.ts';
import { rebuildCost } from './rebuild-cost.ts';
import { rebuildLive } from './rebuild-live.ts';
import { rebuildAll, rebuildOne } from './rebuilds.ts';
import { servers } from './servers.ts';
import { soak } from './soak.ts';
import { start } from './start.ts';
import { visible } from './visible.ts';

/** Every group of figures, in the order of the report. */
export const groups: readonly FigureGroup[] = [
  reads,
  bigPosting,
  commands,
  appends,
  visible,
  rebuildOne,
  rebuildAll,
  rebuildCost,
  rebuildLive,
  history,
  historyBeside,
  start,
  soak,
  servers,
];
