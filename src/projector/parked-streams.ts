import type { RecordedEvent } from '../event-store/port.ts';
import type { ParkedStream } from '../read-models/port.ts';

/** An event that a projection cannot apply, though the store gave all that its handler asked for. */
export type PoisonEvent = Pick<ParkedStream, 'stream' | 'revision' | 'position' | 'event' | 'type'> & {
  readonly error: Error;
};

/** An event without its content. */
export type EventHeader = Pick<RecordedEvent, 'id' | 'type' | 'position' | 'stream' | 'revision'>;

/** The poison event at a place. @param error what its handler has thrown, of any kind */
export const toPoisonEvent = ({ stream, revision, position, id, type }: EventHeader, error: unknown): PoisonEvent => ({
  stream,
  revision,
  position,
  event: id,
  type,
  error: error instanceof Error ? error : new Error(String(error)),
});

const poisonInWords = ({ type, stream, revision, position, error }: PoisonEvent): string =>
  `${type} (event ${revision} of ${stream}, at ${position}) cannot be applied: ${error.message}`;

/** Thrown where a poison event stops the projection. */
export class PoisonEventError extends Error {
  constructor(poison: PoisonEvent) {
    super(poisonInWords(poison), { cause: poison.error });
  }
}

/** A stream was parked at a poison event. */
export class StreamParkedError extends Error {
  readonly poison: PoisonEvent;

  constructor(poison: PoisonEvent) {
    super(poisonInWords(poison), { cause: poison.error });
    this.poison = poison;
  }
}

export interface ParkingOptions {
  /** Whether a poison event stops the projection, and not only its stream. */
  readonly isStrict: () => boolean;
  readonly onParked: (poison: PoisonEvent) => void;
  /** RFC 3339 */
  readonly now: () => string;
}

/** More parked streams point to a defect of the projection, which stops then. */
const MAX_PARKED = 100;
/** Characters kept of an error's message, and of its stack. */
const MAX_TEXT = 2_000;

/** The parked streams of one projection: each waits from its poison event on. */
export const createParkedStreams = (stored: readonly ParkedStream[], parking: ParkingOptions | undefined) => {
  const parked = new Map(stored.map((each) => [each.stream, each]));
  return {
    all: (): ParkedStream[] => [...parked.values()],
    of: (stream: string): ParkedStream | undefined => parked.get(stream),
    holds: ({ stream, revision }: Pick<ParkedStream, 'stream' | 'revision'>): boolean =>
      revision >= (parked.get(stream)?.revision ?? Infinity),

    /**
     * @param release the number of the release under which the event was applied; 0 for none
     * @throws PoisonEventError where the event stops the projection
     */
    park(poison: PoisonEvent, release: number): void {
      const { error, ...place } = poison;
      if (!parking || parking.isStrict() || (parked.size >= MAX_PARKED && !parked.has(place.stream)))
        throw new PoisonEventError(poison);
      parked.set(place.stream, {
        ...place,
        error: error.message.slice(0, MAX_TEXT),
        stack: (error.stack ?? '').slice(0, MAX_TEXT),
        at: parking.now(),
        release,
        underWay: 0,
      });
      parking.onParked(poison);
    },

    /** Notes that a release has reached an event: those before it are applied. */
    noteReached(place: Omit<PoisonEvent, 'error'>, release: number): void {
      const before = parked.get(place.stream);
      if (before) parked.set(place.stream, { ...before, ...place, underWay: release });
    },

    /** No event of the stream waits any more. */
    free(stream: string): void {
      parked.delete(stream);
    },
  };
};
