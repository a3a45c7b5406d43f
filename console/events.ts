import { allLines, api, type Schemas } from './api.ts';
import type { paths } from './operations.ts';

export type RecordedEvent = Schemas['RecordedEvent'];

const toEvent = (line: unknown): RecordedEvent => {
  if (typeof line === 'object' && line !== null && 'position' in line && 'type' in line && 'stream' in line)
    // The description says the rest, and the service keeps to it.
    return line as RecordedEvent;
  throw new Error('A line of the answer is no event');
};

type EventQuery = NonNullable<paths['/history/events']['get']['parameters']['query']>;

/** The events that a question finds. @throws Failure; Error for a line that is no event */
export const findEvents = (query: EventQuery, signal: AbortSignal): Promise<RecordedEvent[]> =>
  allLines(api.GET('/history/events', { signal, params: { query }, parseAs: 'stream' }), toEvent);

export const ENTITY_KINDS = ['candidate', 'posting', 'professional', 'office', 'specialty', 'user'] as const;
export type EntityKind = (typeof ENTITY_KINDS)[number];
export const isEntityKind = (text: string): text is EntityKind => ENTITY_KINDS.some((kind) => kind === text);

export type ReadModelName = Schemas['ReadModelName'];
/** The kind of entity whose events change a partition of a read model. */
export const partitionKinds: Readonly<Record<ReadModelName, EntityKind>> = {
  'posting-candidates': 'posting',
  'admin-posting-candidates': 'posting',
  'professional-candidates': 'professional',
  'saved-postings': 'professional',
  'professional-profiles': 'professional',
  specialties: 'specialty',
};
export const isReadModelName = (text: string): text is ReadModelName => Object.hasOwn(partitionKinds, text);
export const READ_MODEL_NAMES = Object.keys(partitionKinds).filter(isReadModelName);

/** The entity that a stream is of, where it is one that has a timeline. */
export const entityOf = (stream: string): { readonly kind: EntityKind; readonly id: string } | undefined => {
  const at = stream.indexOf('-');
  const [kind, id] = [stream.slice(0, at), stream.slice(at + 1)];
  return at > 0 && isEntityKind(kind) && id !== '' ? { kind, id } : undefined;
};
