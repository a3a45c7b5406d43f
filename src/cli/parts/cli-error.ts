/** Something the person at the command line can mend: told in one line, exit code 2; nothing was changed, unless it says so. */
export class Fault extends Error {}

/** A message without the line breaks that it may hold. */
export const oneLine = (text: string): string => text.replace(/\s*[\r\n]+\s*/g, ' ').trim();
