import type { RecordedEvent } from './port.ts';

/** The decoded content of an event; `foreign` says why it could not be decoded. */
export type EventContent = Pick<RecordedEvent, 'version' | 'data' | 'metadata' | 'foreign'>;

/** What is wrong with a foreign event: one that this service cannot have written. */
const FOREIGN_REASONS = {
  data: 'its data is not a JSON object',
  metadata: 'its metadata is not a JSON object',
  version: 'its metadata has no schemaVersion',
} as const;

/** The content that stands in for a foreign event's. */
export const createPlaceholderContent = (what: keyof typeof FOREIGN_REASONS): EventContent => ({
  version: 0,
  data: {},
  metadata: {},
  foreign: FOREIGN_REASONS[what],
});

/** Names a foreign event and what is wrong with it. */
export const foreignEventMessage = ({
  revision,
  stream,
  foreign = '',
}: Pick<RecordedEvent, 'revision' | 'stream' | 'foreign'>): string =>
  `Event ${revision} of the stream ${stream} is not of this service: ${foreign}`;

/** A foreign event that cannot be skipped. Reading it again does not help. */
export class ForeignEventError extends Error {}
