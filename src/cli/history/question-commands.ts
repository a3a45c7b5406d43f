import { Option, type Command } from 'commander';
import { findEvents } from '../../history/operations/events.ts';
import { singleAnswerOperations } from '../../history/operations/index.ts';
import type { HistoryOperation } from '../../history/operations/operation.ts';
import { omitUndefined } from '../../lib/omit-undefined.ts';
import type { Json } from '../../schema/json.ts';
import type { SearchCommandOptions } from './search.ts';
import { answerOutputs, tableCell, printAnswer, type AnswerOutput } from './answer-output.ts';
import { askHistoryQuestion, type HistoryCommandOptions } from './with-history.ts';
import { addPersonalDataOptions } from '../parts/personal-data.ts';
import { addQuestionCommand, parseQuestion } from './question-options.ts';
import type { Terminal } from '../parts/terminal.ts';
import type { ExitCodeWrapper } from '../projections/program.ts';

interface AnswerOptions extends HistoryCommandOptions {
  readonly output?: AnswerOutput;
}

const addAnswered = (
  history: Command,
  terminal: Terminal,
  checked: ExitCodeWrapper,
  operation: HistoryOperation,
): void => {
  const command = addPersonalDataOptions(addQuestionCommand(history, operation));
  if (operation.rows)
    command
      .addOption(new Option('--output <format>', 'of the answer').choices(answerOutputs).default('table'))
      .addOption(new Option('--json', 'the same as --output json').implies({ output: 'json' }));
  else command.addOption(new Option('--json', 'as JSON').implies({ output: 'json' }));
  command.action(
    checked(async () => {
      const options = command.opts<AnswerOptions>();
      const answer = await askHistoryQuestion(terminal, operation, parseQuestion(operation, command), options);
      const show = (value: Json | undefined) => tableCell(value, terminal.stdout);
      const view = operation.rows?.(answer, show) ?? operation.text?.(answer, show) ?? {};
      await printAnswer(terminal, answer, view, options.output ?? 'table');
      return view.isWell !== false;
    }),
  );
};

/** How many events a search prints, where that is not said. */
const LIMIT = 100;

const addSearchCommand = (history: Command, terminal: Terminal): void => {
  const command = addPersonalDataOptions(addQuestionCommand(history, findEvents, { limit: LIMIT }));
  command.option('--json', 'as lines of JSON').action(async (options: SearchCommandOptions) => {
    const { limit, ...endless } = parseQuestion(findEvents, command).parameters;
    const searchOptions = endless.follow ? endless : { ...endless, ...omitUndefined({ limit }) };
    await (await import('./search.ts')).searchHistory(terminal, searchOptions, options);
  });
};

/** Adds the commands of questions, as their definitions say. */
export const addQuestionCommands = (history: Command, terminal: Terminal, checked: ExitCodeWrapper): void => {
  addSearchCommand(history, terminal);
  for (const operation of singleAnswerOperations)
    if (operation.rows ?? operation.text) addAnswered(history, terminal, checked, operation);
};
