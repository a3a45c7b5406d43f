import { Option, type Command } from 'commander';
import { findEvents } from '../../history/operations/events.ts';
import { historyOperations } from '../../history/operations/index.ts';
import type { HistoryOperation } from '../../history/operations/operation.ts';
import { omitUndefined } from '../../lib/omit-undefined.ts';
import type { Json } from '../../schema/json.ts';
import type { SearchCommandOptions } from './search.ts';
import { answerOutputs, cellOf, writeAnswer, type AnswerOutput } from './answers.ts';
import { askHistory, type HistoryOptions } from './with-history.ts';
import { withPersonalOptions } from '../parts/personal-data.ts';
import { addQuestion, questionOf } from './question-options.ts';
import type { Terminal } from '../parts/terminal.ts';
import type { CheckedAction } from '../projections/program.ts';

interface AnswerOptions extends HistoryOptions {
  readonly output?: AnswerOutput;
}

const addAnswered = (
  history: Command,
  terminal: Terminal,
  checked: CheckedAction,
  operation: HistoryOperation,
): void => {
  const command = withPersonalOptions(addQuestion(history, operation));
  if (operation.rows)
    command
      .addOption(new Option('--output <format>', 'of the answer').choices(answerOutputs).default('table'))
      .addOption(new Option('--json', 'the same as --output json').implies({ output: 'json' }));
  else command.addOption(new Option('--json', 'as JSON').implies({ output: 'json' }));
  command.action(
    checked(async () => {
      const options = command.opts<AnswerOptions>();
      const answer = await askHistory(terminal, operation, questionOf(operation, command), options);
      const show = (value: Json | undefined) => cellOf(value, terminal.stdout);
      const view = operation.rows?.(answer, show) ?? operation.text?.(answer, show) ?? {};
      await writeAnswer(terminal, answer, view, options.output ?? 'table');
      return view.isWell !== false;
    }),
  );
};

/** How many events a search prints, where that is not said. */
const LIMIT = 100;

const addSearch = (history: Command, terminal: Terminal): void => {
  const command = withPersonalOptions(addQuestion(history, findEvents, { limit: LIMIT }));
  command.option('--json', 'as lines of JSON').action(async (options: SearchCommandOptions) => {
    const { limit, ...endless } = questionOf(findEvents, command).parameters;
    const asked = endless.follow ? endless : { ...endless, ...omitUndefined({ limit }) };
    await (await import('./search.ts')).searchHistory(terminal, asked, options);
  });
};

/** Adds the commands of questions, as their definitions say. */
export const addQuestions = (history: Command, terminal: Terminal, checked: CheckedAction): void => {
  addSearch(history, terminal);
  for (const operation of historyOperations)
    if (operation.rows ?? operation.text) addAnswered(history, terminal, checked, operation);
};
