import type { Logger } from 'pino';
import { withFailureObserver } from '../lib/error.ts';
import { reasonInFull } from '../lib/reason-in-full.ts';
import {
  damageInWords,
  logDamageOf,
  LogDamagedError,
  LogUnavailableError,
  type LogDamage,
  type EventStore,
  type Position,
} from '../event-store/port.ts';
import type { ThreadMonitor } from './thread-monitor.ts';
import type { Metrics } from './metrics.ts';
import type { Clock } from '../ports/clock.ts';
import { openEventStore, type EventStoreSettings, type EventStoreOptions } from '../stores.ts';
import { inSpan } from '../telemetry/tracing.ts';
import { createWriteOutageMonitor } from './write-outage-monitor.ts';

interface WatchedLogOptions {
  readonly settings: EventStoreSettings;
  readonly metrics: Pick<Metrics, 'appends' | 'damages' | 'writerRestarts'>;
  readonly threads: Pick<ThreadMonitor, 'note' | 'ended' | 'begun'>;
  readonly logger: Pick<Logger, 'error' | 'info'>;
  readonly clock: Clock;
  /** Left out: a worker thread. */
  readonly startWriter?: EventStoreOptions['startWriter'];
}

const DAMAGED =
  'The event log is damaged; what needs the damaged part is refused; docs/operating.md#when-a-file-is-damaged says what to do';
/** Of more, the first tell enough. */
const MAX_DAMAGES = 100;

/** Opens the event log as the service uses it: its appends are timed, watched and announced. */
export const openMonitoredEventLog = async (options: WatchedLogOptions) => {
  const { settings, metrics, threads, logger, clock, startWriter } = options;
  let announce: (head: Position) => void = () => undefined;
  const damages = new Map<string, LogDamage>();
  const noteDamage = (damage: LogDamage): void => {
    const { message } = new LogDamagedError(damage);
    if (damages.has(message) || damages.size >= MAX_DAMAGES) return;
    damages.set(message, damage);
    metrics.damages.set(damages.size);
    logger.error({ ...damage, reason: message }, DAMAGED);
  };
  /** Notes the damage because of which something failed, in any thread. */
  const noteFailure = (error: unknown): void => {
    const damage = logDamageOf(error);
    if (damage) noteDamage(damage);
  };
  /** Undefined while the log is opened: the thread may hang by then. */
  let watched: ReturnType<typeof createWriteOutageMonitor> | undefined;
  const log = await openEventStore(settings, {
    startWriter,
    onDamage: noteDamage,
    onWriterEnded(error) {
      metrics.writerRestarts.inc();
      threads.ended('writer');
      watched?.failed(new LogUnavailableError('the thread that writes the log has ended', { cause: error }));
    },
    onWriterHung(isHung) {
      threads.note('writer', isHung);
      if (isHung) watched?.failed(new LogUnavailableError('the thread that writes the log does not answer'));
    },
    // The writer may have stored events without reporting them.
    onWriterStarted: (head) => announce(head),
  });
  const writes = (watched = createWriteOutageMonitor({
    log,
    clock,
    onChange(error) {
      if (error) {
        logger.error({ reason: reasonInFull(error) }, 'Nothing can be stored; it is tried until it works');
        return;
      }
      threads.begun('writer');
      logger.info('What commands decide is stored again');
    },
  }));
  /** Wraps what a command asks of the event log, to note the damage that it meets. */
  const noting = withFailureObserver(noteFailure);
  const asking = <Args extends readonly unknown[], T>(ask: (...args: Args) => Promise<T>) => noting(writes.asking(ask));
  const appendWatched = noting(writes.append);
  const append: EventStore['append'] = (request) =>
    inSpan('append', { attributes: { 'hiring.events': request.events.length } }, async (span) => {
      const stopTimer = metrics.appends.startTimer();
      const result = await appendWatched(request);
      stopTimer();
      span?.setAttribute('hiring.append', result.kind);
      if (result.kind === 'appended' && request.events.length > 0) announce(result.position);
      return result;
    });
  return {
    eventStore: {
      ...log,
      append,
      readStream: asking((...args: Parameters<EventStore['readStream']>) => log.readStream(...args)),
      findIdempotencyRecord: asking((...args: Parameters<EventStore['findIdempotencyRecord']>) =>
        log.findIdempotencyRecord(...args),
      ),
      claimKey: asking((...args: Parameters<EventStore['claimKey']>) => log.claimKey(...args)),
    },
    writes,
    noteFailure,
    /** The damage of the event log that was met, in words for any client. */
    damage: (): string | undefined => {
      const [first] = damages.values();
      return first && damageInWords(first);
    },
    /** Tells a listener from now on where the event log ends after each append. */
    announceTo(listener: (head: Position) => void): void {
      announce = listener;
    },
    async close(): Promise<void> {
      await writes.stop();
      await log.close();
    },
  };
};
