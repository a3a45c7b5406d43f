import { createInterface } from 'node:readline';
import { asCliError } from './audit.ts';
import { CliError, oneLine } from './cli-error.ts';
import type { Terminal } from './terminal.ts';
import { print } from './print.ts';

const HELP =
  'A statement ends with a semicolon. SHOW TABLES lists what there is, DESCRIBE <table> its columns; .exit ends.';

/**
 * Runs the statements of standard input in turn. At a terminal a refused one is reported, and the prompt goes on.
 *
 * @throws CliError for the first one that is refused, where standard input is no terminal
 */
export const eachStatement = async (
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
  if (isPrompt) print(stderr, HELP);
  let statement = '';
  prompt('sql> ');
  for await (const line of lines) {
    if (statement === '' && /^\s*\.(?:exit|quit)\s*$/.test(line)) break;
    statement += `${line}\n`;
    if (/;\s*$/.test(statement)) {
      await tell(run, statement, isPrompt, stderr);
      statement = '';
    }
    if (statement.trim() === '') statement = '';
    prompt(statement === '' ? 'sql> ' : '  -> ');
  }
  lines.close();
  if (statement.trim() !== '') await tell(run, statement, isPrompt, stderr);
};

const tell = async (
  run: (statement: string) => Promise<void>,
  statement: string,
  isPrompt: boolean,
  stderr: Terminal['stderr'],
): Promise<void> => {
  try {
    await run(statement);
  } catch (error) {
    const cliError = asCliError(error);
    if (!isPrompt || !(cliError instanceof CliError)) throw error;
    print(stderr, `hiring: ${oneLine(cliError.message)}`);
  }
};
