import { START, type Position } from '../../event-store/port.ts';
import type { FoundEvent } from '../../history/find/event.ts';
import type { EventsBetween } from '../../history/find/events-between.ts';
import type { ShownAs } from '../../history/moment/mask.ts';
import { noMask } from '../../history/moment/mask.ts';
import type { FindMoment } from '../../history/moment/moment.ts';
import { findEvents, USUAL_EVENTS, type EventsAsked } from '../../history/operations/events.ts';
import { given } from '../../lib/given.ts';
import { CliError } from './cli-error.ts';
import { linesOfService, ServiceRefused, type Service, type ServiceAnswer } from './history-service.ts';
import { resumed } from './resumed.ts';

/** What tells answers of the same code, with the same masks. */
type MadeBy = Pick<ServiceAnswer, 'code' | 'masks'>;

const eventsOf = (service: Service, parameters: EventsAsked) =>
  linesOfService(service, findEvents, { params: {}, parameters });

/** @throws CliError where an answer was made by other code or with other masks than an earlier one */
const refuseOther = ({ url }: Service, earlier: MadeBy, { code, masks }: MadeBy): void => {
  if (code !== earlier.code || masks !== earlier.masks)
    throw new CliError(`${url} is of another version or has other masks since it was first asked`);
};

/**
 * Searches the events of a service. An answer that is cut is resumed, but for what is followed, which has no end, and
 * the newest first, which are few.
 *
 * @throws CliError where it refuses, or cannot be asked
 */
export const searchService = async (service: Service, parameters: EventsAsked) => {
  const { lines, ...first } = await eventsOf(service, parameters);
  const { follow, newest, limit = USUAL_EVENTS } = parameters;
  if (follow || newest) return { ...first, events: lines };
  const rest = async function* (count: number, last: FoundEvent | undefined) {
    if (count === limit) return;
    const range = { ...given({ after: last?.position }), upTo: first.upTo.position, limit: limit - count };
    const later = await eventsOf(service, { ...parameters, ...range });
    refuseOther(service, first, later);
    yield* later.lines;
  };
  return { ...first, events: resumed(service.terminal, rest, service.signal, lines) };
};

export interface ServiceLog {
  /** The version of its code, which reads the events. */
  readonly code: string;
  readonly shownAs: ShownAs;
  readonly momentOf: FindMoment;
  /** @throws CliError where a later answer was made by other code or with other masks */
  readonly refuseOther: (answer: MadeBy) => void;
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
export const openServiceLog = async (service: Service, perRequest = A_REQUEST): Promise<ServiceLog> => {
  const { terminal, reason } = service;
  const masked = { ...service, reason: undefined };
  /** What the service says of itself and of a moment; it is asked for one event, which matters to nobody. */
  const look = async (asked: Pick<EventsAsked, 'to' | 'upTo'>): Promise<ServiceAnswer> => {
    const { lines, ...found } = await eventsOf(masked, { ...asked, limit: 1 });
    for await (const _ of lines) continue;
    return found;
  };
  const { upTo: now, code, masks } = await look({});
  const shownAs = reason === undefined ? { isMasked: true, maskId: masks } : noMask;
  const refuseLater = (later: MadeBy) => refuseOther(service, { code, masks: shownAs.maskId }, later);
  return {
    code,
    shownAs,
    refuseOther: refuseLater,
    momentOf: async ({ at, upTo }) =>
      at === undefined && upTo === undefined ? now : (await look(given({ to: at, upTo }))).upTo,
    async idAt(position, after) {
      const from = after === START ? undefined : after;
      try {
        const { lines } = await eventsOf(masked, given({ from, to: position, newest: true, limit: 1 }));
        for await (const event of lines) if (event.position === position) return event.id;
      } catch (error) {
        // No event stands there.
        if (!(error instanceof ServiceRefused) || error.status !== 400) throw error;
      }
      return null;
    },
    async *events({ after, upTo, recordedAfter, recordedBy }, { types, stream }, signal) {
      const eventsFrom = async function* (begin: Position) {
        for (let [from, count] = [begin, perRequest]; count === perRequest && from < upTo;) {
          const asked = given({
            type: types && [...types],
            stream,
            from: recordedAfter ?? undefined,
            to: recordedBy ?? undefined,
            after: from,
            upTo,
            limit: perRequest,
          });
          const found = await eventsOf({ ...service, signal }, asked);
          refuseLater(found);
          count = 0;
          for await (const event of found.lines) {
            yield event;
            from = event.position;
            count++;
          }
        }
      };
      yield* resumed(terminal, (_, last) => eventsFrom(last?.position ?? after), signal);
    },
  };
};
