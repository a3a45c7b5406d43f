import type { Metadata } from '../streams/events.ts';
import type { Ports } from '../ports/index.ts';
import { currentTraceparent } from '../telemetry/tracing.ts';

/**
 * What an append gives its events beside their data: one metadata for all of them, and an id for each. They are
 * recorded when the clock says, or when the last event of their stream was, if that is later: times of a stream never
 * go back.
 */
export type EventMetadataFactory = (lastRecordedAt: string) => {
  readonly metadata: Metadata;
  readonly eventId: () => string;
};

/** Makes the stamp of what an actor does. @param requestId for a process manager, the id of what led to it */
export const createEventMetadataFactory =
  (actor: string, requestId: string, { clock, ids }: Pick<Ports, 'clock' | 'ids'>): EventMetadataFactory =>
  (lastRecordedAt) => {
    const traceparent = currentTraceparent();
    const now = clock().toISOString();
    return {
      metadata: {
        $correlationId: requestId,
        $causationId: requestId,
        actor,
        requestId,
        ...(now < lastRecordedAt ? { recordedAt: lastRecordedAt, clockAt: now } : { recordedAt: now }),
        ...(traceparent === undefined ? {} : { traceparent }),
      },
      eventId: () => ids.uuid(),
    };
  };
