import { START, type Position } from '../../event-store/port.ts';
import type { FoundEvent } from '../../history/find/event.ts';
import type { EventsBetween } from '../../history/find/events-between.ts';
import type { Moment } from '../../history/moment/moment.ts';
import { noMask } from '../../history/moment/mask.ts';
import {
  findEvents,
  FoundEventShown,
  USUAL_EVENTS,
  type EventsAsked,
} from '../../history/operations/events.ts';
import { given } from '../../lib/given.ts';
import { checker } from '../../schema/validation.ts';
import { CliError } from './cli-error.ts';
import { linesOfService, ServiceRefused, type ServiceLines } from './history-service.ts';
import type { FindMoment } from './moments-asked.ts';
import { resumed } from './resumed.ts';
import type { Terminal } from './terminal.ts';

export interface ServiceEvents extends Omit<ServiceLines, 'lines'> {
  readonly events: AsyncIterable<FoundEvent>;
}

const checkEvent = checker(FoundEventShown, 'an event');

/** @throws CliError for a line that is no event */
async function* eventsIn(lines: AsyncIterable<unknown>): AsyncGenerator<FoundEvent, void, undefined> {
  for await (const line of lines) {
    const checked = checkEvent(line);
    if (!checked.ok) throw new CliError(`The service is of another version: ${checked.message}`);
    yield checked.value;
  }
}

/** Asks a service for events. @throws CliError where it refuses, or cannot be asked */
const eventsOfService = async (
  terminal: Terminal,
  service: string,
  parameters: EventsAsked,
  reason: string | undefined,
  signal: AbortSignal,
): Promise<ServiceEvents> => {
  const question = { params: {}, parameters };
  const { lines, ...made } = await linesOfService(terminal, service, findEvents, question, reason, signal);
  return { ...made, events: eventsIn(lines) };
};

/** @throws CliError where an answer was made by other code or with other masks than an earlier one */
const refuseOther = (
  service: string,
  earlier: Pick<ServiceLines, 'code' | 'masks'>,
  { code, masks }: Pick<ServiceLines, 'code' | 'masks'>,
): void => {
  if (code !== earlier.code || masks !== earlier.masks)
    throw new CliError(`${service} is of another version or has other masks since it was first asked`);
};

/**
 * Searches the events of a service. An answer that is cut is resumed, but for what is followed, which has no end, and
 * the newest first, which are few.
 *
 * @param reason why personal data is asked for; undefined where it is not
 * @throws CliError where it refuses, or cannot be asked
 */
export const searchService = async (
  terminal: Terminal,
  service: string,
  parameters: EventsAsked,
  reason: string | undefined,
  signal: AbortSignal,
): Promise<ServiceEvents> => {
  const first = await eventsOfService(terminal, service, parameters, reason, signal);
  const { follow, newest, limit = USUAL_EVENTS } = parameters;
  if (follow || newest) return first;
  const rest = async function* (count: number, last: FoundEvent | undefined) {
    if (count === limit) return;
    const range = { ...given({ from: last?.position }), to: first.upTo.position, limit: limit - count };
    const asked = { ...parameters, ...range };
    const { events, ...made } = await eventsOfService(terminal, service, asked, reason, signal);
    refuseOther(service, first, made);
    yield* events;
  };
  return { ...first, events: resumed(terminal, rest, signal, first.events) };
};

export interface ServiceLog {
  /** The version of its code, which reads the events. */
  readonly code: string;
  /** Tells its masks from those of another secret, or that personal data is shown. */
  readonly masks: string;
  readonly momentOf: FindMoment;
  /** @throws CliError where a later answer was made by other code or with other masks */
  readonly refuseOther: (answer: Pick<ServiceLines, 'code' | 'masks'>) => void;
  /** What is cut is resumed. Where personal data is asked for, each request is recorded by the service first. */
  readonly events: EventsBetween;
  /** The id of the event at a position, looked for after an earlier one; null where there is none. */
  readonly idAt: (position: Position, after: Position) => Promise<string | null>;
}

/** Events of one request: of more, each answer goes on where the one before has ended. */
export const A_REQUEST = 100_000;

/**
 * Opens the event log of a service.
 *
 * @param perRequest events of one request, at most
 * @throws CliError where it refuses, or cannot be asked
 */
export const openServiceLog = async (
  terminal: Terminal,
  service: string,
  reason: string | undefined,
  signal: AbortSignal,
  perRequest = A_REQUEST,
): Promise<ServiceLog> => {
  /** What the service says of itself and of a moment; it is asked for one event, which matters to nobody. */
  const look = async (to: string | undefined): Promise<ServiceEvents> => {
    const asked = given({ to, limit: 1 });
    const found = await eventsOfService(terminal, service, asked, undefined, signal);
    for await (const _ of found.events) continue;
    return found;
  };
  const { upTo: now, code, masks: masked } = await look(undefined);
  const masks = reason === undefined ? masked : noMask.maskId;
  const refuseLater: ServiceLog['refuseOther'] = (later) => refuseOther(service, { code, masks }, later);
  const momentOf = async (text?: string): Promise<Moment> =>
    text === undefined ? now : (await look(text)).upTo;
  return {
    code,
    masks,
    refuseOther: refuseLater,
    momentOf,
    async idAt(position, after) {
      const asked = given({
        from: after === START ? undefined : after,
        to: position,
        newest: true,
        limit: 1,
      });
      try {
        const { events } = await eventsOfService(terminal, service, asked, undefined, signal);
        for await (const event of events) if (event.position === position) return event.id;
      } catch (error) {
        // No event stands there.
        if (!(error instanceof ServiceRefused) || error.status !== 400) throw error;
      }
      return null;
    },
    async *events({ after, upTo }, { types, stream }, ending) {
      const eventsFrom = async function* (begin: Position) {
        for (let [from, count] = [begin, perRequest]; count === perRequest && from < upTo;) {
          const asked = given({
            type: types && [...types],
            stream,
            from: from === START ? undefined : from,
            to: upTo,
            limit: perRequest,
          });
          const { events, ...made } = await eventsOfService(terminal, service, asked, reason, ending);
          refuseLater(made);
          count = 0;
          for await (const event of events) {
            yield event;
            from = event.position;
            count++;
          }
        }
      };
      yield* resumed(terminal, (_, last) => eventsFrom(last?.position ?? after), ending);
    },
  };
};
