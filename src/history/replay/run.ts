import { setImmediate } from 'node:timers/promises';
import { invalid } from '../../errors/domain-error.ts';
import { START, type EventLog, type Position, type RecordedEvent } from '../../event-store/port.ts';
import { maskedData, readingOf } from '../find/event.ts';
import { searchEvents } from '../find/search.ts';
import { noIndex } from '../moment/entity-index.ts';
import type { Mask } from '../moment/mask.ts';
import { failureIn } from './failure.ts';
import type { LoadedReplay } from './load.ts';

/** Which events are replayed. */
export interface ReplayAsked {
  /** Not replayed itself; left out: from the first event on. */
  readonly after?: Position | undefined;
  readonly upTo: Position;
  /** Left out: those that have handlers. */
  readonly types?: readonly string[] | undefined;
  readonly stream?: string | undefined;
}

export interface Replayed {
  readonly state: unknown;
  /** Events that handlers were given. */
  readonly events: number;
  /** Events that this code cannot read: left out. */
  readonly unreadable: number;
  /** Why the first of them cannot be read. */
  readonly firstUnreadable: string | undefined;
}

/** Events between two looks at what else is to be done, such as a signal. */
const PAUSE_AFTER = 1_000;

/** @throws DomainError for a type that no handler is there for */
const typesOf = ({ file, handlers }: LoadedReplay, types: readonly string[] | undefined) => {
  const without = types?.find((type) => !handlers.has(type));
  if (without !== undefined) throw invalid(`${file} has no handler for ${without}, which --type names`);
  return types ?? [...handlers.keys()];
};

const failed = (file: string, what: string, error: unknown): Error =>
  invalid(`${file}: ${what} failed: ${failureIn(file, error)}`);

/** The state before the first event. @throws DomainError */
const begin = ({ file, init }: LoadedReplay): unknown => {
  try {
    return init();
  } catch (error) {
    throw failed(file, 'init', error);
  }
};

/** Has the handler of an event change the state. @returns why the event cannot be read, if so @throws DomainError */
const apply = (
  { file, handlers }: LoadedReplay,
  recorded: RecordedEvent,
  mask: Mask,
  state: unknown,
): string | undefined => {
  const read = readingOf(recorded);
  if ('unreadable' in read) return read.unreadable;
  const { position, stream, revision, id, type } = recorded;
  const what = `the handler of ${type}, for event ${revision} of ${stream} at ${position},`;
  let returned: unknown;
  try {
    const event = { ...read, data: maskedData(read, mask), position, stream, revision, id };
    returned = handlers.get(type)?.(event, state);
  } catch (error) {
    throw failed(file, what, error);
  }
  if (returned instanceof Promise) {
    // Its own failure says no more.
    returned.catch(() => undefined);
    throw failed(file, what, 'it returned a promise, and must be synchronous');
  }
  return undefined;
};

/**
 * Gives the events of a part of the event log to the handlers of an analyst's projection, in its order, upcast and
 * masked. In memory are a batch of events and the state.
 *
 * @param signal ends it: its reason is thrown
 * @param onEvents told how many events were read so far
 * @throws DomainError where the projection fails
 */
export const replayEvents = async (
  log: Pick<EventLog, 'readStream' | 'subscribe'>,
  replay: LoadedReplay,
  { after = START, upTo, types, stream }: ReplayAsked,
  mask: Mask,
  { signal, onEvents }: { readonly signal: AbortSignal; readonly onEvents: (read: number) => void },
): Promise<Replayed> => {
  const filter = { types: typesOf(replay, types), stream };
  const state = begin(replay);
  let [events, unreadable] = [0, 0];
  let firstUnreadable: string | undefined;
  for await (const recorded of searchEvents({ log, index: noIndex }, filter, { after, upTo }, signal)) {
    const reason = apply(replay, recorded, mask, state);
    if (reason === undefined) events++;
    else {
      unreadable++;
      firstUnreadable ??= reason;
    }
    if ((events + unreadable) % PAUSE_AFTER > 0) continue;
    onEvents(events + unreadable);
    await setImmediate();
  }
  // The reading has ended early then.
  signal.throwIfAborted();
  return { state, events, unreadable, firstUnreadable };
};
