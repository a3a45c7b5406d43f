/** Something the person at the command line can mend: told in one line, exit code 2, and nothing was changed. */
export class Fault extends Error {}

/** Waits for work that reports its failures itself: anything but a Fault is a defect and ends the process loudly. */
export const oneLine = (text: string): string => text.replace(/\s*[\r\n]+\s*/g, ' ').trim();
