import type { RecordedEvent } from './port.ts';

/** What an event holds, beside its place. */
export type EventContent = Pick<RecordedEvent, 'version' | 'data' | 'metadata' | 'foreign'>;

/** What may be wrong with an event that this service cannot have written. */
export const FAULTS = {
  data: 'its data is not a JSON object',
  metadata: 'its metadata is not a JSON object',
  version: 'its metadata has no schemaVersion',
} as const;

/** What is given of such an event. */
export const foreignContent = (what: keyof typeof FAULTS): EventContent => ({
  version: 0,
  data: {},
  metadata: {},
  foreign: FAULTS[what],
});

/** Which event it is and what is wrong with it, in words. */
export const whatIsForeign = ({
  revision,
  stream,
  foreign = '',
}: Pick<RecordedEvent, 'revision' | 'stream' | 'foreign'>): string =>
  `Event ${revision} of the stream ${stream} is not of this service: ${foreign}`;

/** Thrown where such an event stands in the way. Reading it again does not help. */
export class ForeignEvent extends Error {}

/** @throws ForeignEvent where one of some events is such */
export const refuseForeign = (events: readonly RecordedEvent[]): void => {
  for (const event of events) if (event.foreign !== undefined) throw new ForeignEvent(whatIsForeign(event));
};
