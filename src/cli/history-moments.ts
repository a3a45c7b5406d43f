import type { Command } from 'commander';
import { shownReadModels } from '../history/moment/shown.ts';
import { showRowsAt, type AtOptions } from './history-at.ts';
import { showDifference, type DiffOptions } from './history-diff.ts';
import { explain, type ExplainOptions } from './history-explain.ts';
import { moment } from './parts/moments.ts';
import type { Terminal } from './parts/terminal.ts';

const READ_MODEL = `one of ${shownReadModels.map(({ name }) => name).join(', ')}`;
const PARTITION = 'the id of the posting, professional or specialty whose rows they are';
const ROW = 'the id of the row; of a saved posting <professional>/<posting>';
const MOMENT = 'a position, a day in UTC or an RFC 3339 time';

/** Adds the commands that show a read model as it was. */
export const addMoments = (history: Command, terminal: Terminal): void => {
  history
    .command('at')
    .description('show the rows of a read model as they were answered at a moment')
    .argument('<read-model>', READ_MODEL)
    .argument('<partition>', PARTITION)
    .option('--at <moment>', `${MOMENT}; by default now`, moment)
    .option('--json', 'as JSON')
    .option('--personal-data', 'without masks; needs a --reason')
    .option('--reason <text>', 'why personal data is needed; it is recorded first')
    .action((readModel: string, partition: string, options: AtOptions) =>
      showRowsAt(terminal, readModel, partition, options),
    );
  history
    .command('diff')
    .description('show how the rows of a read model differ between two moments, and by which events')
    .argument('<read-model>', READ_MODEL)
    .argument('<partition>', PARTITION)
    .requiredOption('--from <moment>', MOMENT, moment)
    .option('--to <moment>', `${MOMENT}; by default now`, moment)
    .option('--json', 'as JSON')
    .option('--personal-data', 'without masks; needs a --reason')
    .option('--reason <text>', 'why personal data is needed; it is recorded first')
    .action((readModel: string, partition: string, options: DiffOptions) =>
      showDifference(terminal, readModel, partition, options),
    );
  history
    .command('explain')
    .description('show for each member of a row of a read model which event made it what it is')
    .argument('<read-model>', READ_MODEL)
    .argument('<row>', ROW)
    .option('--at <moment>', `${MOMENT}; by default now`, moment)
    .option('--json', 'as JSON')
    .option('--personal-data', 'without masks; needs a --reason')
    .option('--reason <text>', 'why personal data is needed; it is recorded first')
    .action((readModel: string, row: string, options: ExplainOptions) =>
      explain(terminal, readModel, row, options),
    );
};
