import { createInterface } from 'node:readline';
import { toCliError } from '../parts/audit.ts';
import { CliError, errorLines } from '../parts/cli-error.ts';
import type { Terminal } from '../parts/terminal.ts';
import { print } from '../parts/print.ts';

const HELP = [
  'A statement ends with a semicolon. Commands stand on a line of their own, also amid a statement:',
  '  .tables          what there is',
  '  .schema [table]  the columns of a table, or of all, with their types',
  '  .help            this',
  '  .exit            ends',
];

/** The columns of all tables; at a position each table is there twice. */
const COLUMNS = `SELECT table_name AS "table", column_name AS "column", data_type AS type FROM information_schema.columns
WHERE table_schema = 'main' GROUP BY ALL ORDER BY table_name, min(ordinal_position)`;

/** Runs a command of the prompt. @returns whether it ends the prompt @throws CliError for an unknown one */
const runCommand = async (
  { name = '', of }: { readonly name: string | undefined; readonly of: string | undefined },
  run: (statement: string) => Promise<void>,
  stderr: Terminal['stderr'],
): Promise<boolean> => {
  switch (name) {
    case 'exit':
    case 'quit':
      return true;
    case 'help':
      print(stderr, HELP);
      return false;
    case 'tables':
      await run('SHOW TABLES');
      return false;
    case 'schema':
      await run(of === undefined ? COLUMNS : `DESCRIBE "${of}"`);
      return false;
    default:
      throw new CliError(`There is no command .${name}; .help tells those that there are`);
  }
};

/**
 * Runs the statements and commands of standard input in turn. At a terminal a refused one is reported, and the prompt
 * goes on.
 *
 * @throws CliError for the first one that is refused, where standard input is no terminal
 */
export const runSqlInput = async (
  { stdin, stderr }: Pick<Terminal, 'stdin' | 'stderr'>,
  run: (statement: string) => Promise<void>,
): Promise<void> => {
  const isPrompt = stdin.isTTY === true;
  const lines = createInterface({ input: stdin, terminal: isPrompt, ...(isPrompt && { output: stderr }) });
  const prompt = (text: string) => {
    if (!isPrompt) return;
    lines.setPrompt(text);
    lines.prompt();
  };
  const reporting = async <T>(act: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await act();
    } catch (error) {
      const cliError = toCliError(error);
      if (!isPrompt || !(cliError instanceof CliError)) throw error;
      print(stderr, errorLines(cliError.message));
      return undefined;
    }
  };
  if (isPrompt) print(stderr, HELP);
  let statement = '';
  prompt('sql> ');
  for await (const line of lines) {
    const [command, name, of] = /^\s*\.([a-z]+)(?:\s+(\w+))?[\s;]*$/.exec(line) ?? [];
    if (command === undefined) statement += `${line}\n`;
    else if (await reporting(() => runCommand({ name, of }, run, stderr))) {
      statement = '';
      break;
    }
    if (/;\s*$/.test(statement)) {
      const whole = statement;
      statement = '';
      await reporting(() => run(whole));
    }
    if (statement.trim() === '') statement = '';
    prompt(statement === '' ? 'sql> ' : '  -> ');
  }
  lines.close();
  if (statement.trim() !== '') await reporting(() => run(statement));
};
