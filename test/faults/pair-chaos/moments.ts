import type { Moment } from './fault-plan.ts';

const names = (message: Buffer, command: string): boolean => message.includes(`\u0002${command}\0`);
/** The names of a build's collections contain its version and number. */
const BUILT = /\w+_v\d+_\d+\0/;

const writesDocuments = (message: Buffer): boolean =>
  (names(message, 'update') || names(message, 'insert')) && BUILT.test(message.toString('latin1', 0, 200));

const writesPosition = (message: Buffer): boolean =>
  names(message, 'update') && message.includes('projections\0') && message.includes('\u0002position\0');

/** Whether a MongoDB message is the moment of a fault: documents on their way, or the end of their commit. */
export const isMoment =
  (moment: Exclude<Moment, 'now'>) =>
  (message: Buffer): boolean =>
    moment === 'documents'
      ? writesDocuments(message)
      : message.includes('\u0010commitTransaction\0') || writesPosition(message);
