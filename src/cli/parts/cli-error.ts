/** An error that the operator can mend: told in one line, exit code 2. Nothing was changed, unless the line says so. */
export class CliError extends Error {}

/** A message without the line breaks that it may hold. */
export const oneLine = (text: string): string => text.replace(/\s*[\r\n]+\s*/g, ' ').trim();

/** What failed, in one line. */
export const reasonOf = (error: unknown): string =>
  oneLine(error instanceof Error ? error.message : String(error));
