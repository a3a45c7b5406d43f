import { hasCode } from '../../lib/error.ts';
import { escapeInvisible, escapeInvisibleInLines } from '../../lib/escape-invisible.ts';
import type { Output } from './terminal.ts';

/** All that commands print, so that text which others chose cannot forge what a terminal shows. */

/** A line as it is printed: what is a line break in the text is an escape in it. */
export const printedLine = (line: string): string => `${escapeInvisible(line)}\n`;

/** Prints a line, or several. */
export const print = (output: Output, lines: string | readonly string[]): void =>
  void output.write([lines].flat().map(printedLine).join(''));

const asData = ({ isTTY }: Output, text: string): string => (isTTY === true ? escapeInvisibleInLines(text) : text);

/** Prints what programs read: as it is, and at a terminal with each line visible. */
export const printRawText = (output: Output, text: string): void => void output.write(asData(output, text));

/** Of ECMA-48: to the upper left corner, and nothing from there on. */
const CLEAR = '\u001b[H\u001b[J';

/** Empties a terminal, for what is shown again and again; other outputs stay as they are. */
export const clearScreen = (output: Output): void => {
  if (output.isTTY === true) output.write(CLEAR);
};

/** Prints a value as JSON. @param space of each level; left out: all is one line */
export const printJson = (output: Output, value: unknown, space?: number): void =>
  printRawText(output, `${JSON.stringify(value, null, space)}\n`);

/** Makes the function that gives pieces of CSV for a terminal: a line break within a cell is an escape. */
const visibleCsv = () => {
  let isQuoted = true;
  const shown = (part: string): string => {
    isQuoted = !isQuoted;
    return isQuoted ? escapeInvisible(part) : escapeInvisibleInLines(part);
  };
  return (piece: string): string => {
    // A piece goes on where the one before it ended.
    isQuoted = !isQuoted;
    return piece.split('"').map(shown).join('"');
  };
};

/** Resolves once the text is taken. A pipeline would leave its listeners at standard output, some more each time. */
const written = (output: Output, text: string): Promise<void> =>
  new Promise((resolve, reject) => output.write(text, (error) => (error ? reject(error) : resolve())));

/**
 * Prints data as it comes, no faster than it is taken. A reader that has seen enough, such as head, ends it.
 *
 * @param isCsv whether cells in quotes may hold line breaks
 */
export const printPieces = async (
  output: Output,
  pieces: AsyncIterable<string> | Iterable<string>,
  isCsv = false,
): Promise<void> => {
  const shown = isCsv ? visibleCsv() : escapeInvisibleInLines;
  try {
    for await (const piece of pieces) await written(output, output.isTTY === true ? shown(piece) : piece);
  } catch (error) {
    // Of a write to a closed pipe, or to what was one.
    if (!hasCode(error, 'EPIPE', 'ERR_STREAM_DESTROYED')) throw error;
  }
};
