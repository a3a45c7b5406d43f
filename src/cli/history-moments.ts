import { Option, type Command } from 'commander';
import { shownReadModels } from '../history/moment/shown.ts';
import type { DiffOptions } from './history-diff.ts';
import { MOMENT, UP_TO } from '../history/moment/moment.ts';
import { from, FROM_SERVICE, fromService, orService } from './parts/from.ts';
import { answerOutputs, type RowsAtOptions } from './parts/moments.ts';
import { withPersonalOptions } from './parts/personal-data.ts';
import type { Terminal } from './parts/terminal.ts';
import { logPosition, moment, readModelName } from './parts/values.ts';

const READ_MODEL = `one of ${shownReadModels.map(({ name }) => name).join(', ')}`;
const PARTITION = 'the id of the posting, professional or specialty whose rows they are';
const ROW = 'the id of the row; of a saved posting <professional>/<posting>';

/** Adds the commands that show a read model as it was. */
export const addMoments = (history: Command, terminal: Terminal): void => {
  const command = (name: string, description: string) =>
    history.command(name).description(description).argument('<read-model>', READ_MODEL, readModelName);
  const withOptions = (each: Command) =>
    withPersonalOptions(
      each
        .option('--up-to <position>', UP_TO, logPosition)
        .addOption(new Option('--output <format>', 'of the answer').choices(answerOutputs).default('table'))
        .addOption(new Option('--json', 'the same as --output json').implies({ output: 'json' })),
    );

  withOptions(
    command('at', 'show the rows of a read model as they were answered at a moment')
      .argument('<partition>', PARTITION)
      .option('--at <moment>', `${MOMENT}; by default now`, moment)
      .option('--from <url>', FROM_SERVICE, fromService),
  ).action(async (readModel: string, partition: string, options: RowsAtOptions) =>
    (await import('./history-at.ts')).showRowsAt(terminal, readModel, partition, options),
  );
  withOptions(
    command('diff', 'show how the rows of a read model differ between two moments, and by which events')
      .argument('<partition>', PARTITION)
      .requiredOption('--from <moment>', orService('the earlier moment'), from)
      .option('--to <moment>', `${MOMENT}; by default now`, moment),
  ).action(async (readModel: string, partition: string, options: DiffOptions) =>
    (await import('./history-diff.ts')).showDifference(terminal, readModel, partition, options),
  );
  withOptions(
    command('explain', 'show for each member of a row of a read model which event made it what it is')
      .argument('<row>', ROW)
      .option('--at <moment>', `${MOMENT}; by default now`, moment)
      .option('--from <url>', FROM_SERVICE, fromService),
  ).action(async (readModel: string, row: string, options: RowsAtOptions) =>
    (await import('./history-explain.ts')).explain(terminal, readModel, row, options),
  );
};
