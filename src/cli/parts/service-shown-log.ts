import type { FoundEvent } from '../../history/find/event.ts';
import type { EventsRead, ShownLog } from '../../history/find/shown-log.ts';
import { codeVersion } from '../../lib/code-version.ts';
import { inBatches } from '../../lib/in-batches.ts';
import { CliError } from './cli-error.ts';
import type { Service } from './history-service.ts';
import { openServiceLog, type ServiceLog } from './service-events.ts';

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

/**
 * Opens the event log of a service, in batches, for what this code makes from it: an export or a copy.
 *
 * @param perRequest so many events are asked for by one request
 * @throws CliError where it refuses, cannot be asked, or is of another version
 */
export const openShownLog = async (service: Service, perRequest: number): Promise<ServiceLog & ShownLog> => {
  const log = await openServiceLog(service, perRequest);
  if (log.code !== codeVersion())
    throw new CliError(
      `${service.url} is of version ${log.code}, and this is ${codeVersion()}; allowed: the same version`,
    );
  const size = Math.min(A_BATCH, perRequest);
  return {
    ...log,
    read: (range, types, limit, signal) =>
      read(log.events(range, { types, stream: undefined }, signal), limit, size),
    countIn: () => Promise.resolve(undefined),
  };
};
