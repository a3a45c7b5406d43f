/** Control characters, breaks of lines and paragraphs, bidirectional controls (Unicode, UAX #9) and lone surrogates. */
const HIDDEN = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\p{Cs}]/gu;

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** The text with JSON's escapes for characters that cannot be seen, or that change how others are shown. */
export const escapeInvisible = (text: string): string => text.replace(HIDDEN, escaped);

/** A text without the line breaks that it may hold. */
export const oneLine = (text: string): string => text.replace(/\s*[\r\n]+\s*/g, ' ').trim();

/** Whether each character of a text is seen as it is. */
export const isAllVisible = (text: string): boolean => text.search(HIDDEN) < 0;

/** Text of several lines with each of them visible: what is written for programs, at a terminal. */
export const escapeInvisibleInLines = (text: string): string => text.split(/\r?\n/).map(escapeInvisible).join('\n');
