import pino, { type DestinationStream, type LevelWithSilent, type Logger } from 'pino';
import { scrubLine } from './log-scrubber.ts';

/**
 * The log: one JSON object a line, scrubbed as a whole just before it is written, so that no way into it (message,
 * error, member, child logger) is forgotten. It is written synchronously: nothing is lost when the process ends.
 *
 * @param options.destination standard output without one
 */
export const createLogger = (options: {
  readonly level: LevelWithSilent;
  readonly destination?: DestinationStream;
}): Logger =>
  pino(
    {
      level: options.level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      serializers: { err: pino.stdSerializers.err, error: pino.stdSerializers.err },
      hooks: { streamWrite: scrubLine },
    },
    options.destination ?? pino.destination({ dest: 1, sync: true }),
  );
