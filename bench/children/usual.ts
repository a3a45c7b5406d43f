import { pino } from 'pino';
import { Type } from '../../src/schema/typebox.ts';
import { createUsual } from '../usual/app.ts';
import { openDatabase } from '../usual/database.ts';
import { answerParent } from './answering.ts';
import { listening } from './listening.ts';

const Request = Type.Object({
  /** A copy of the service's read models. */
  file: Type.String(),
  secret: Type.String(),
  logFile: Type.String(),
});

/** The usual stack, with its log in a file, some lines at a time, as the service writes its own. */
answerParent(Request, ({ file, secret, logFile }) => {
  const log = pino.destination({ dest: logFile, minLength: 4_096, sync: false });
  return listening(createUsual(openDatabase(file), secret, log));
});
