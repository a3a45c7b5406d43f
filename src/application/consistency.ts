import { invalid, unavailable } from '../errors/domain-error.ts';
import type { EventLog, Position } from '../event-store/port.ts';
import type { ProjectionTracker, ProjectionStatus } from '../projector/progress.ts';
import type { ParkedStreamRef } from '../read-models/port.ts';
import { inSpan, isTracing, linkOf } from '../telemetry/tracing.ts';

export interface ConsistencyOptions {
  readonly projector: Pick<ProjectionTracker, 'reached' | 'status'> & {
    readonly isCaughtUp: (names: readonly string[]) => boolean;
  };
  readonly consistencyWaitMs: number;
  readonly eventLog: Pick<EventLog, 'recordAt' | 'readStream'>;
}

const POSITION = /^[0-9/]{1,64}$/;

/** Names a projection that will not reach a position, because an operator has paused it. */
const findPausedProjection = (
  all: readonly ProjectionStatus[],
  names: readonly string[],
  position: string,
): string | undefined =>
  all.find((status) => names.includes(status.name) && status.isPaused === true && status.position < position)?.name;

/** Names a projection in which the event at a position waits, because its stream is parked. */
const findParkedProjection = async (
  { projector, eventLog }: Pick<ConsistencyOptions, 'projector' | 'eventLog'>,
  names: readonly string[],
  position: string,
): Promise<string | undefined> => {
  const some = projector.status().filter(({ name, parked }) => names.includes(name) && parked?.length);
  if (some.length === 0) return undefined;
  const { stream, revision } = (await eventLog.recordAt(position)) ?? {};
  const holds = (each: ParkedStreamRef) => each.stream === stream && each.revision <= (revision ?? -1);
  return some.find(({ parked }) => parked?.some(holds))?.name;
};

/** The span that led to the event at a position, as the event keeps it. */
const traceparentAt = async (
  eventLog: ConsistencyOptions['eventLog'],
  position: Position,
): Promise<string | undefined> => {
  const { stream, revision } = (await eventLog.recordAt(position)) ?? {};
  if (typeof stream !== 'string') return undefined;
  const [event] = await eventLog.readStream(stream, revision);
  const found = event?.position === position ? event.metadata['traceparent'] : undefined;
  return typeof found === 'string' ? found : undefined;
};

/** Waits within a span that is linked to the write which the read waits for. */
const inWaitSpan = async <T>({ eventLog }: ConsistencyOptions, token: string, wait: () => Promise<T>): Promise<T> => {
  if (!isTracing()) return wait();
  const link = linkOf(await traceparentAt(eventLog, token));
  return inSpan('wait for read models', { links: link ? [link] : [] }, wait);
};

/**
 * Resolves when the named projections have reached a Consistency-Token; an empty one only requires that they are built.
 *
 * @param what how messages name the position; a client that sent no token needs other words
 * @throws DomainError invalid for a malformed token, unavailable when they do not reach it in time
 */
export const waitForPosition = async (
  reading: ConsistencyOptions,
  names: readonly string[],
  token: string,
  what = 'the Consistency-Token',
): Promise<void> => {
  const { projector, consistencyWaitMs } = reading;
  if (token !== '' && !POSITION.test(token))
    throw invalid('The header Consistency-Token must be one that a write has answered with');
  if (!projector.isCaughtUp(names)) throw unavailable('The read models are being built', 1);
  if (token === '') return;
  const stopped = findPausedProjection(projector.status(), names, token);
  if (stopped !== undefined) throw unavailable(`The projection ${stopped} is paused and has not reached ${what}`, 60);
  if (!(await inWaitSpan(reading, token, () => projector.reached(names, token, consistencyWaitMs))))
    throw unavailable(`The read models have not reached ${what} yet`, 1);
  const parked = await findParkedProjection(reading, names, token);
  if (parked !== undefined)
    throw unavailable(`The projection ${parked} cannot apply the event of ${what}: its stream is parked`, 60);
};
