import { START_POSITION } from '../../event-store/port.ts';
import { exportNdjson } from '../../history/export/ndjson-export.ts';
import type { HistoryEvent } from '../../history/moment/history-event.ts';
import { noMask } from '../../history/moment/mask.ts';
import { findEvents, DEFAULT_EVENTS, type EventSearchParameters } from '../../history/operations/events.ts';
import { asksToFollow } from '../../history/operations/operation.ts';
import { getReadModelRows } from '../../history/operations/read-model-rows.ts';
import { throttleSource, type WarehouseSource } from '../../history/warehouse/warehouse-source.ts';
import { prepareWarehouse } from '../../history/warehouse/prepare.ts';
import { readPackageVersion } from '../../lib/package-version.ts';
import { omitUndefined } from '../../lib/omit-undefined.ts';
import { inBatches } from '../../lib/in-batches.ts';
import { neverAborted } from '../../lib/never-aborted.ts';
import { CliError } from '../parts/cli-error.ts';
import type { HistoryPort } from './port.ts';
import { resumableItems, retryWhileInterrupted } from '../parts/service-retries.ts';
import {
  askService,
  askServiceForLines,
  ServiceRefusedError,
  type ServiceTarget,
  type AnswerProvenance,
} from '../parts/service-client.ts';

/** Events or rows that are taken at a time. */
const A_BATCH = 1_000;
/** Events of one request: of more, each answer goes on where the one before has ended. */
const EVENTS_PER_REQUEST = 100_000;
/**
 * A service closes a connection that is not read from for long: one request asks for what a throttle lets through in
 * this time.
 */
const REQUEST_S = 10;

/**
 * The history of a service, which is asked over HTTP. Where personal data is asked for, the service records each
 * request first.
 *
 * @param perSecond events that are read at most; Infinity is no limit
 */
export const createServiceHistory = (service: ServiceTarget, perSecond: number): HistoryPort => {
  const { terminal, url, reason } = service;
  const perRequest = Math.max(1, Math.min(EVENTS_PER_REQUEST, Math.ceil(perSecond * REQUEST_S)));

  /** @throws CliError where an answer was made by other code or with other masks than an earlier one */
  const refuseOther = (earlier: Pick<AnswerProvenance, 'code' | 'masks'>, { code, masks }: AnswerProvenance): void => {
    if (code !== earlier.code || masks !== earlier.masks)
      throw new CliError(`${url} is of another version or has other masks since it was first asked`);
  };
  /** Whether the service has answered: it is waited for then. */
  let hasAnswered = false;
  const eventsOnce = async (parameters: EventSearchParameters, signal: AbortSignal, request = service) => {
    const answer = await askServiceForLines(request, findEvents, { params: {}, parameters }, signal);
    hasAnswered = true;
    return answer;
  };

  /** Events, oldest first, from one answer after the other. What is cut is resumed. @param begun the first answer */
  const eventsOf = (
    request: EventSearchParameters & { readonly limit: number },
    earlier: Pick<AnswerProvenance, 'code' | 'masks'>,
    signal: AbortSignal,
    begun?: AsyncIterable<HistoryEvent>,
  ): AsyncIterable<HistoryEvent> => {
    const later = async (parameters: EventSearchParameters) => {
      const answer = await eventsOnce(parameters, signal);
      refuseOther(earlier, answer);
      return answer.lines;
    };
    return resumableItems(
      terminal,
      async function* (count, last) {
        let [after, left] = [last?.position ?? request.after, request.limit - count];
        for (let isMore = true; isMore && left > 0;) {
          const limit = Math.min(perRequest, left);
          const lines = begun ?? (await later({ ...request, ...omitUndefined({ after }), limit }));
          begun = undefined;
          const before = left;
          for await (const event of lines) {
            yield event;
            after = event.position;
            left--;
          }
          isMore = before - left === limit;
        }
      },
      signal,
    );
  };

  /** What the service says of itself and of a moment; it is asked for one event, which matters to nobody. */
  const look = async (
    request: Pick<EventSearchParameters, 'to' | 'upTo'>,
    signal = neverAborted,
  ): Promise<AnswerProvenance> => {
    const masked = { ...service, reason: undefined };
    const { lines, ...found } = await eventsOnce({ ...request, limit: 1 }, signal, masked);
    for await (const _ of lines) continue;
    return found;
  };
  const momentOf: HistoryPort['momentOf'] = async ({ at, upTo }) => (await look(omitUndefined({ to: at, upTo }))).upTo;

  const log = async (signal?: AbortSignal): Promise<WarehouseSource> => {
    const { code, masks, upTo: now } = await look({}, signal);
    if (code !== readPackageVersion())
      throw new CliError(
        `${url} is of version ${code}, and this is ${readPackageVersion()}; allowed: the same version`,
      );
    const shownAs = reason === undefined ? { isMasked: true, maskId: masks } : noMask;
    const earlier = { code, masks: shownAs.maskId };
    return {
      shownAs,
      head: () => Promise.resolve(now.position),
      countIn: () => Promise.resolve(undefined),
      async *read({ after, upTo, recordedAfter, recordedBy }, types, limit, signal) {
        const range = { from: recordedAfter ?? undefined, to: recordedBy ?? undefined, after, upTo };
        const request = { ...omitUndefined({ type: types && [...types], ...range }), limit };
        const size = Math.min(A_BATCH, perRequest);
        for await (const events of inBatches(eventsOf(request, earlier, signal), size))
          yield { events, read: events.length };
      },
      async idAt(position, after) {
        const request = { to: position, newest: true, limit: 1, ...(after !== START_POSITION && { from: after }) };
        try {
          const { lines } = await eventsOnce(request, signal ?? neverAborted, { ...service, reason: undefined });
          for await (const event of lines) if (event.position === position) return event.id;
        } catch (error) {
          // No event stands there.
          if (!(error instanceof ServiceRefusedError) || error.status !== 400) throw error;
        }
        return null;
      },
      async *rowsOf({ name }, { at, position: upTo }, { signal }) {
        const question = { params: { readModel: name }, parameters: { upTo, ...(at !== null && { at }) } };
        /** All rows after the first `count`; the order is the same for every request. */
        const linesAfter = async function* (count: number) {
          const found = await askServiceForLines(service, getReadModelRows, question, signal);
          refuseOther(earlier, found);
          if (found.upTo.position !== upTo)
            throw new CliError(`${url} has answered for the position ${found.upTo.position} instead of ${upTo}`);
          let left = count;
          for await (const line of found.lines) if (left-- <= 0) yield line;
        };
        yield* inBatches(resumableItems(terminal, linesAfter, signal), A_BATCH);
      },
    };
  };

  return {
    name: url,
    salvagedIn: undefined,
    ask: (operation, question) => askService(service, operation, question),
    async find(parameters, signal) {
      const { limit = DEFAULT_EVENTS } = parameters;
      const size = Math.min(perRequest, limit);
      const isEndless = asksToFollow({ params: {}, parameters });
      const ask = () => eventsOnce({ ...parameters, ...(!isEndless && { limit: size }) }, signal);
      const { lines, ...first } = await (hasAnswered ? retryWhileInterrupted(terminal, ask, signal) : ask());
      // What is followed has no end, and the newest first are few: where these are cut, they are not resumed.
      if (isEndless || parameters.newest) return { ...first, lines };
      const request = { ...parameters, upTo: first.upTo.position, limit };
      return { ...first, lines: eventsOf(request, first, signal, lines) };
    },
    momentOf,
    log: () => log(),
    async prepare(preparation, { signal, onProgress }) {
      const source = throttleSource(await log(signal), perSecond);
      return prepareWarehouse(source, preparation, { signal, onProgress });
    },
    async exportEvents(order, exporting) {
      return exportNdjson(await log(exporting.signal), { ...order, perSecond }, exporting);
    },
  };
};
