import { exportHistory } from '../../history/export/export.ts';
import type { ExportForm } from '../../history/export/formats.ts';
import type { ExportManifest } from '../../history/export/manifest.ts';
import type { EventsRead, ExportSource } from '../../history/export/source.ts';
import type { FoundEvent } from '../../history/find/event.ts';
import { codeVersion } from '../../lib/code-version.ts';
import { createLeakyBucket } from '../../lib/leaky-bucket.ts';
import { CliError } from './cli-error.ts';
import { openServiceLog, type ServiceLog } from './service-events.ts';
import type { Terminal } from './terminal.ts';

/** Events that are written at a time. */
const A_WRITE = 1_000;
/** So many events are asked for by one request. */
const A_REQUEST = 100_000;
/** The service closes a connection that is not read from for long, so a throttle waits between requests. */
const REQUEST_S = 10;

/** Joins events into batches. */
async function* inBatches(
  events: AsyncIterable<FoundEvent>,
  limit: number,
  size: number,
): AsyncGenerator<EventsRead, void, undefined> {
  let batch: FoundEvent[] = [];
  let left = limit;
  for await (const event of events) {
    batch.push(event);
    if (--left > 0 && batch.length < size) continue;
    yield { events: batch, read: batch.length };
    batch = [];
    if (left === 0) return;
  }
  if (batch.length > 0) yield { events: batch, read: batch.length };
}

const sourceOfService = ({ events, idAt }: ServiceLog, size: number): ExportSource => ({
  read: (range, types, limit, signal) =>
    inBatches(events(range, { types, stream: undefined }, signal), limit, size),
  idAt,
  countIn: () => Promise.resolve(undefined),
});

/** What an export of a service is asked with. */
export interface ServiceExport {
  readonly service: string;
  readonly directory: string;
  readonly form: ExportForm;
  /** A moment; undefined: now. */
  readonly to: string | undefined;
  /** Why personal data is asked for; undefined where it is not. */
  readonly reason: string | undefined;
  /** Events a second; Infinity is no limit. */
  readonly perSecond: number;
}

/**
 * Exports the events of a service: the same bytes as from its stores.
 *
 * @throws CliError where the service refuses, cannot be asked, or ends an answer too early: what is whole stays
 * @throws DomainError for an export that is refused
 */
export const exportService = async (
  terminal: Terminal,
  { service, directory, form, to, reason, perSecond }: ServiceExport,
  {
    signal,
    onRead,
  }: { readonly signal: AbortSignal; readonly onRead: (events: number, of?: number) => void },
): Promise<ExportManifest> => {
  const perRequest = Math.max(1, Math.min(A_REQUEST, Math.ceil(perSecond * REQUEST_S)));
  const log = await openServiceLog(terminal, service, reason, signal, perRequest);
  if (log.code !== codeVersion())
    throw new CliError(
      `${service} is of version ${log.code}, and this is ${codeVersion()}; allowed: the same version`,
    );
  const { position: upTo } = await log.momentOf(to);
  const showing = { isMasked: reason === undefined, maskId: log.masks };
  const asked = { form, showing, code: log.code, upTo };
  const throttle = createLeakyBucket(() => perSecond, signal);
  const source = sourceOfService(log, Math.min(A_WRITE, perRequest));
  return exportHistory(source, directory, asked, { signal, throttle, onRead });
};
