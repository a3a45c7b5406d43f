import type { Revision } from '../event-store/port.ts';
import { PoisonEvent, type Poison } from './poison.ts';
import type { ParkedStream } from '../read-models/port.ts';

/** What is done about poison events. */
export interface Parking {
  /** Whether a poison event stops the projection, and not only its stream. */
  readonly isStrict: () => boolean;
  readonly onParked: (poison: Poison) => void;
  /** RFC 3339 */
  readonly now: () => string;
}

/** With more parked streams it is not the events that are wrong: the projection stops. */
const MAX_PARKED = 100;
/** Characters kept of an error's message, and of its stack. */
const MAX_TEXT = 2_000;

interface Place {
  readonly stream: string;
  readonly revision: Revision;
}

type Waiting = Omit<Poison, 'error'>;

/** The parked streams of one projection: each waits from its poison event on. */
export const createParking = (stored: readonly ParkedStream[], parking: Parking | undefined) => {
  const parked = new Map(stored.map((each) => [each.stream, each]));
  return {
    all: (): ParkedStream[] => [...parked.values()],
    of: (stream: string): ParkedStream | undefined => parked.get(stream),
    holds: ({ stream, revision }: Place): boolean => revision >= (parked.get(stream)?.revision ?? Infinity),

    /**
     * @param release the number of the release under which the event was applied; 0 for none
     * @throws PoisonEvent where the event stops the projection
     */
    park(poison: Poison, release: number): void {
      const { stream, revision, position, event, type, error } = poison;
      if (!parking || parking.isStrict() || (parked.size >= MAX_PARKED && !parked.has(stream)))
        throw new PoisonEvent(poison);
      parked.set(stream, {
        stream,
        revision,
        position,
        event,
        type,
        error: error.message.slice(0, MAX_TEXT),
        stack: (error.stack ?? '').slice(0, MAX_TEXT),
        at: parking.now(),
        release,
        underWay: 0,
      });
      parking.onParked(poison);
    },

    /** Notes that a release has reached an event: those before it are applied. */
    cameTo({ stream, revision, position, event, type }: Waiting, release: number): void {
      const before = parked.get(stream);
      if (before) parked.set(stream, { ...before, revision, position, event, type, underWay: release });
    },

    /** No event of the stream waits any more. */
    free(stream: string): void {
      parked.delete(stream);
    },
  };
};
