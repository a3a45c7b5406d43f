import type { Metadata } from '../domain/events.ts';
import type { Ports } from '../ports/index.ts';
import { currentTraceparent } from '../telemetry/tracing.ts';

/** What an append gives its events beside their data: one metadata for all of them, and an id for each. */
export type Stamp = () => { readonly metadata: Metadata; readonly eventId: () => string };

/** Makes the stamp of what an actor does. @param requestId for a process manager, the id of what led to it */
export const stampOf =
  (actor: string, requestId: string, { clock, ids }: Pick<Ports, 'clock' | 'ids'>): Stamp =>
  () => {
    const traceparent = currentTraceparent();
    return {
      metadata: {
        $correlationId: requestId,
        $causationId: requestId,
        actor,
        requestId,
        recordedAt: clock().toISOString(),
        ...(traceparent === undefined ? {} : { traceparent }),
      },
      eventId: () => ids.uuid(),
    };
  };
