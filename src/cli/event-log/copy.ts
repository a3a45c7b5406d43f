import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { SingleBar } from 'cli-progress';
import { readEventStoreSettings, readStreamPrefix } from '../../config/stores.ts';
import { withVariableReader } from '../../config/values.ts';
import type { LogDifference } from '../../event-store/compare-logs.ts';
import { copyLog, type CopyLogOptions, type CopyOutcome, type CopyProgress } from '../../event-store/copy-log.ts';
import { holdsOtherTables } from '../../event-store/embedded/event-store.ts';
import { readRecordedLosses } from '../../event-store/embedded/lost-ranges.ts';
import { foreignEventMessage } from '../../event-store/foreign-event.ts';
import { createAudit } from '../../audit/audited.ts';
import { conflict, DomainError } from '../../errors/domain-error.ts';
import type { EventBatch, EventLog } from '../../event-store/port.ts';
import { systemClock } from '../../ports/clock.ts';
import {
  unreachableServerMessageOf,
  openEventStore,
  openConcurrentEventLog,
  type EventStoreSettings,
  type ConcurrentEventLog,
} from '../../stores.ts';
import { osActor } from '../../audit/os-actor.ts';
import { lockDataDirectories } from '../parts/data-directories.ts';
import { createDroppedSubscriptionReporter } from '../parts/dropped-subscription.ts';
import { oneLine } from '../../lib/escape-invisible.ts';
import { CliError, oneLineReason } from '../parts/cli-error.ts';
import { loadTerminalEnvironment, type Terminal } from '../parts/terminal.ts';
import { using } from '../../lib/using.ts';
import { print } from '../parts/print.ts';
import { createProgressBar } from '../parts/progress-bar.ts';

export interface CopyOptions {
  readonly from: string;
  readonly to: string;
}

const refuseUnusablePair = (from: EventStoreSettings, to: EventStoreSettings): void => {
  if (from.kind === 'eventstoredb' && to.kind === 'eventstoredb')
    throw new CliError('--from and --to both name EventStoreDB; allowed: a file (sqlite:) as one of them');
  if (from.kind === 'sqlite' && to.kind === 'sqlite' && resolve(from.path) === resolve(to.path))
    throw new CliError('--from and --to name the same file');
  if (from.kind === 'sqlite' && !existsSync(from.path))
    throw new CliError(`--from names ${from.path}, which is not there`);
};

/** @throws CliError when what an option names cannot be used */
const usable = async <T>(option: string, use: () => Promise<T>): Promise<T> => {
  try {
    return await use();
  } catch (error) {
    if (error instanceof CliError) throw error;
    throw new CliError(`${option} cannot be used: ${oneLineReason(error)}`);
  }
};

/** Returns a store that answers; closes one that does not. */
const answering = async <Store extends Pick<EventLog, 'head' | 'close'>>(store: Store): Promise<Store> => {
  try {
    await store.head();
    return store;
  } catch (error) {
    await store.close();
    throw error;
  }
};

/** The same event log: its subscriptions fail, naming the option, at an event that this service cannot have written. */
const ownOnly = <Log extends Pick<EventLog, 'subscribe'>>(option: string, log: Log): Log => ({
  ...log,
  async *subscribe(...args: Parameters<EventLog['subscribe']>): AsyncGenerator<EventBatch, void> {
    for await (const batch of log.subscribe(...args)) {
      const foreign = batch.events.find((event) => event.foreign !== undefined);
      if (foreign) throw conflict(`${option} holds something else: ${oneLine(foreignEventMessage(foreign))}`);
      yield batch;
    }
  },
});

const openSource = (terminal: Terminal, settings: EventStoreSettings) =>
  usable('--from', async () => {
    // Stores number the events of a stream themselves.
    if (settings.kind === 'sqlite' && readRecordedLosses(settings.path).length > 0)
      throw new CliError('--from names a salvaged log: no other store can have the gaps of its streams');
    const log = await openConcurrentEventLog(settings, createDroppedSubscriptionReporter(terminal));
    return ownOnly('--from', await answering(log));
  });

const openTarget = (terminal: Terminal, settings: EventStoreSettings) =>
  usable('--to', async () => {
    // Checked before a table is made in it.
    if (settings.kind === 'sqlite' && existsSync(settings.path) && holdsOtherTables(settings.path))
      throw new CliError(`--to names ${settings.path}, which holds something else: it is no log`);
    const log = await openEventStore(settings, { onDropped: createDroppedSubscriptionReporter(terminal) });
    return ownOnly('--to', await answering(log));
  });

const RATE = '{rate} a second';
const KNOWN_TOTAL = `{bar} {percentage} % | {value} of {total} events | ${RATE} | {eta_formatted} left`;

/** A bar for each phase of a copy, one after another. */
const createBars = ({ stderr }: Terminal) => {
  let shown: { readonly phase: CopyProgress['phase']; readonly bar: SingleBar; readonly since: number } | undefined;
  const stop = () => shown?.bar.stop();
  return {
    stop,
    show(progress: CopyProgress) {
      const { phase, events } = progress;
      if (shown?.phase !== phase) {
        stop();
        const bar = createProgressBar(
          stderr,
          `${phase} ${phase === 'reading' ? `{value} events | ${RATE}` : KNOWN_TOTAL}`,
        );
        bar.start('total' in progress ? progress.total : 0, 0, { rate: 0 });
        shown = { phase, bar, since: performance.now() };
      }
      const seconds = (performance.now() - shown.since) / 1_000;
      shown.bar.update(events, { rate: Math.round(events / Math.max(seconds, 0.001)) });
    },
  };
};

/** @throws DomainError where the copy was interrupted by a server that does not answer */
const runCopy = async (terminal: Terminal, stores: Pick<CopyLogOptions, 'source' | 'target'>): Promise<CopyOutcome> => {
  const bars = createBars(terminal);
  try {
    return await copyLog({ ...stores, clock: systemClock, onProgress: (progress) => bars.show(progress) });
  } catch (error) {
    if (error instanceof DomainError) throw error;
    const [interrupted, goesOn] = ['The copy was interrupted', 'the same command goes on where it stopped'];
    const silent = unreachableServerMessageOf(error);
    if (silent !== undefined) throw conflict(`${interrupted}: ${silent}; ${goesOn}`);
    throw new Error(`${interrupted}; ${goesOn}`, { cause: error });
  } finally {
    bars.stop();
  }
};

/** Where the order of two logs differs. */
const placeOf = ({ number, inSource, inTarget }: Extract<LogDifference, { kind: 'order' }>): string =>
  `its event ${number} is revision ${inTarget.revision} of the stream ${inTarget.stream}, ` +
  `where --from has revision ${inSource.revision} of ${inSource.stream}`;

const notTheBeginning = (difference: LogDifference): string =>
  difference.kind === 'content'
    ? `--to holds something else: its stream ${difference.stream} is not how one of --from begins; nothing was changed`
    : `--to holds events of --from in another order: ${placeOf(difference)}; nothing was changed. ` +
      'Earlier versions copied so: copy to an empty store or to another EVENT_STORE_PREFIX';

const writtenMeanwhile = (difference: LogDifference): string =>
  difference.kind === 'content'
    ? `The stream ${difference.stream} of --to is not the one of --from: something else wrote to it while it was copied`
    : `--to does not have the order of --from: ${placeOf(difference)}: something else wrote to it while it was copied`;

/** @throws DomainError unless both event logs are the same now */
const outcomeSummary = (outcome: CopyOutcome, seconds: number): string => {
  switch (outcome.kind) {
    case 'verified': {
      const { events, streams, added, idempotencyRecords } = outcome;
      const rate = Math.round(added / seconds);
      return (
        `${events} events of ${streams} streams, verified; ${added} copied in ${seconds.toFixed(1)} s (${rate} a second), ` +
        `${events - added} were there before; ${idempotencyRecords} idempotency records`
      );
    }
    case 'holds-something-else':
      throw conflict(notTheBeginning(outcome.difference));
    case 'differs':
      throw conflict(writtenMeanwhile(outcome.difference));
    case 'source-has-grown':
      throw conflict('Something wrote to --from while it was copied: stop it, and the same command copies the rest');
  }
};

/** Names a store in the audit, without the login that its URL may have. */
const nameOf = (settings: EventStoreSettings): string =>
  settings.kind === 'sqlite'
    ? `sqlite:${resolve(settings.path)}`
    : settings.url.replace(/(?<=\/\/)[^\s/@]*@/, '').replace(/\?.*$/, '');

/** Copies the end of a stream that came to the source after the copy. */
const passOn = async (source: ConcurrentEventLog, target: EventLog, stream: string): Promise<void> => {
  const there = await target.readStream(stream);
  const events = await source.readStream(stream, there.length);
  const { kind } = await target.append({ stream, expectedRevision: there.length - 1, events });
  if (kind !== 'appended') throw conflict(`Something wrote to the stream ${stream} of --to after it was copied`);
};

/**
 * `hiring copy`: copies the whole event log from one store to another. It is recorded in the source, before the copy,
 * and so in both: a target is always the beginning of its source.
 */
export const copy = async (terminal: Terminal, options: CopyOptions): Promise<void> => {
  const { from, to } = withVariableReader(loadTerminalEnvironment(terminal), (variables) => {
    const prefix = readStreamPrefix(variables);
    const from = readEventStoreSettings(variables, '--from', options.from, prefix);
    const to = readEventStoreSettings(variables, '--to', options.to, prefix);
    return from && to && { from, to };
  });
  refuseUnusablePair(from, to);
  const giveBack = lockDataDirectories([from, to]);
  try {
    await using(openSource(terminal, from), (source) =>
      using(openTarget(terminal, to), async (target) => {
        const started = performance.now();
        const operation = { operation: 'copy', parameters: { from: nameOf(from), to: nameOf(to) } } as const;
        let recorded = '';
        const summary = await createAudit(source)({ actor: osActor() })(
          operation,
          async (stream) => {
            recorded = stream;
            const outcome = await runCopy(terminal, { source, target });
            return outcomeSummary(outcome, (performance.now() - started) / 1_000);
          },
          (text) => text,
        );
        await passOn(source, target, recorded);
        print(terminal.stdout, summary);
      }),
    );
  } finally {
    giveBack();
  }
};
