import { setImmediate } from 'node:timers/promises';
import { invalid } from '../../errors/domain-error.ts';
import type { HistoryEvent } from '../moment/history-event.ts';
import { describeReplayFailure } from './failure.ts';
import type { LoadedReplay } from './load.ts';

interface ReplayResult {
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

/** The types that are asked for, or else all that have handlers. @throws DomainError for a type without a handler */
export const resolveReplayEventTypes = (
  { file, handlers }: LoadedReplay,
  types: readonly string[] | undefined,
): readonly string[] => {
  const without = types?.find((type) => !handlers.has(type));
  if (without !== undefined) throw invalid(`${file} has no handler for ${without}, which --type names`);
  return types ?? [...handlers.keys()];
};

const failed = (file: string, what: string, error: unknown): Error =>
  invalid(`${file}: ${what} failed: ${describeReplayFailure(file, error)}`);

/** The state before the first event. @throws DomainError */
const begin = ({ file, init }: LoadedReplay): unknown => {
  try {
    return init();
  } catch (error) {
    throw failed(file, 'init', error);
  }
};

/** An event as handlers are given it: the same from the stores and from a service. */
const given = ({ version: _, recordedAt, actor, requestId, correlationId, type, data, ...place }: HistoryEvent) => ({
  type,
  data,
  metadata: { $correlationId: correlationId, actor, requestId, recordedAt },
  ...place,
});

/** Has the handler of an event change the state. @throws DomainError */
const apply = ({ file, handlers }: LoadedReplay, event: HistoryEvent, state: unknown): void => {
  const { position, stream, revision, type } = event;
  const what = `the handler of ${type}, for event ${revision} of ${stream} at ${position},`;
  let returned: unknown;
  try {
    returned = handlers.get(type)?.(given(event), state);
  } catch (error) {
    throw failed(file, what, error);
  }
  if (returned === undefined) return;
  if (!(returned instanceof Promise))
    throw failed(
      file,
      what,
      'it returned a value, and must return nothing: a handler changes the state that it is given, an object, as in state.hires++',
    );
  // Its own failure says no more.
  returned.catch(() => undefined);
  throw failed(file, what, 'it returned a promise, and must be synchronous');
};

/**
 * Gives events to the handlers of an analyst's projection, as they come. In memory are a batch of them and the state.
 *
 * @param events as they are shown, of types that have handlers
 * @param signal ends it: its reason is thrown
 * @param onEvents told now and then how many events were read so far
 * @throws DomainError where the projection fails
 */
export const replayEventsToState = async (
  replay: LoadedReplay,
  events: AsyncIterable<HistoryEvent>,
  { signal, onEvents }: { readonly signal: AbortSignal; readonly onEvents: (read: number) => void },
): Promise<ReplayResult> => {
  const state = begin(replay);
  let [applied, unreadable] = [0, 0];
  let firstUnreadable: string | undefined;
  for await (const event of events) {
    if (event.unreadable === undefined) {
      apply(replay, event, state);
      applied++;
    } else {
      unreadable++;
      firstUnreadable ??= event.unreadable;
    }
    if ((applied + unreadable) % PAUSE_AFTER > 0) continue;
    onEvents(applied + unreadable);
    await setImmediate();
  }
  // The reading has ended early then.
  signal.throwIfAborted();
  return { state, events: applied, unreadable, firstUnreadable };
};
