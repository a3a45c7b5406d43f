import pino, { type DestinationStream, type LevelWithSilent, type Logger } from 'pino';
import { toTransferableError } from '../lib/serialized-error.ts';
import { escapeInvisibleInLines } from '../lib/escape-invisible.ts';
import { scrubLine } from './log-scrubber.ts';

/** Shows a thrown value that is no Error as the message; pino would leave it out. */
const serializeError = (thrown: unknown): unknown =>
  pino.stdSerializers.err(thrown instanceof Error ? thrown : toTransferableError(thrown));

/**
 * The application log: one JSON object a line, scrubbed as a whole just before it is written, so that no way into it
 * (message, error, member, child logger) is forgotten.
 */
export const createLogger = (options: {
  readonly level: LevelWithSilent;
  readonly destination: DestinationStream;
}): Logger => {
  const logger = pino(
    {
      level: options.level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      serializers: { err: serializeError, error: serializeError },
      hooks: { streamWrite: scrubLine },
    },
    options.destination,
  );
  destinations.set(logger, options.destination);
  return logger;
};

const destinations = new WeakMap<Logger, DestinationStream>();

/** Writes a line of level info that its caller has scrubbed already (src/http/request-log-line.ts). */
export const writePreScrubbedLine = (logger: Logger, line: string): void => {
  const destination = destinations.get(logger);
  if (destination) destination.write(line);
  else logger.info(line);
};

/** In characters: one system call for about 70 requests. */
const MAX_BUFFERED = 15_000;
const FLUSH_MS = 100;
/** In characters: of lines that cannot be written, so many are kept. */
const MAX_KEPT = 1_000_000;

/**
 * Standard output for an application log: a few lines are written at a time, the last ones when the process ends. While
 * it cannot be written, as on a full disk, lines wait, and more are left out: the service goes on.
 */
export const createStdoutDestination = (): DestinationStream => {
  const destination = pino.destination({ dest: 1, sync: true, minLength: MAX_BUFFERED, maxLength: MAX_KEPT });
  let timer: NodeJS.Timeout | undefined;
  const flush = (): void => {
    timer = undefined;
    destination.flush();
  };
  const flushSoon = (): void => {
    timer ??= setTimeout(flush, FLUSH_MS).unref();
  };
  destination.on('error', flushSoon);
  // Not `flushSync`, which tries for ever on a full disk.
  process.once('exit', () => destination.end());
  const { isTTY } = process.stdout;
  return {
    write(lines) {
      flushSoon();
      destination.write(isTTY ? escapeInvisibleInLines(lines) : lines);
    },
  };
};
