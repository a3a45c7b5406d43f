import type { FoundEvent } from '../../history/find/event.ts';
import type { EventsRead, ShownLog } from '../../history/find/shown-log.ts';
import type { ShownAs } from '../../history/moment/mask.ts';
import { codeVersion } from '../../lib/code-version.ts';
import { inBatches } from '../../lib/in-batches.ts';
import { CliError } from './cli-error.ts';
import type { FindMoment } from './moments-asked.ts';
import { openServiceLog, type ServiceLog } from './service-events.ts';
import type { Terminal } from './terminal.ts';

/** Events that are taken at a time. */
const A_BATCH = 1_000;

async function* read(
  events: AsyncIterable<FoundEvent>,
  limit: number,
  size: number,
): AsyncGenerator<EventsRead, void, undefined> {
  for await (const batch of inBatches(first(events, limit), size))
    yield { events: batch, read: batch.length };
}

async function* first<T>(items: AsyncIterable<T>, limit: number): AsyncGenerator<T, void, undefined> {
  let left = limit;
  for await (const item of items) {
    yield item;
    if (--left === 0) return;
  }
}

/** The event log of a service that runs this version of the code, in batches. */
export interface ServiceShownLog extends ShownLog, Pick<ServiceLog, 'refuseOther'> {
  readonly showing: ShownAs;
  readonly momentOf: FindMoment;
}

/**
 * Opens the event log of a service for what is made from it by this code: an export or a copy.
 *
 * @param reason why personal data is asked for; undefined where it is not
 * @param perRequest so many events are asked for by one request
 * @throws CliError where it refuses, cannot be asked, or is of another version
 */
export const openShownLog = async (
  terminal: Terminal,
  service: string,
  reason: string | undefined,
  signal: AbortSignal,
  perRequest: number,
): Promise<ServiceShownLog> => {
  const log = await openServiceLog(terminal, service, reason, signal, perRequest);
  if (log.code !== codeVersion())
    throw new CliError(
      `${service} is of version ${log.code}, and this is ${codeVersion()}; allowed: the same version`,
    );
  const size = Math.min(A_BATCH, perRequest);
  return {
    showing: { isMasked: reason === undefined, maskId: log.masks },
    momentOf: log.momentOf,
    refuseOther: log.refuseOther,
    read: (range, types, limit, ending) =>
      read(log.events(range, { types, stream: undefined }, ending), limit, size),
    idAt: log.idAt,
    countIn: () => Promise.resolve(undefined),
  };
};
