import type { EventOf, Metadata } from '../../src/domain/events.ts';
import type { OfficeFacts, officeEvents } from '../../src/domain/office.ts';
import type { PostingFacts, postingEvents } from '../../src/domain/posting.ts';
import type { Documents } from '../../src/projector/projection.ts';
import { defineCollection, type Collection } from '../../src/read-models/port.ts';

/** What a projection keeps of a posting. */
export interface Posting {
  readonly facts: PostingFacts | null;
  readonly officeId: string | null;
  /** When the posting first arrived, and when its facts or closing last changed. */
  readonly createdAt: string | null;
  readonly changedAt: string;
  readonly closing: Pick<Metadata, 'recordedAt' | 'actor'> | null;
}

/** What a projection keeps of an office. */
export interface Office {
  readonly facts: OfficeFacts;
  readonly changedAt: string;
}

export const postingsOf = (projection: string): Collection<Posting> =>
  defineCollection<Posting>({
    name: `${projection}_postings`,
    partition: 'id',
    indexes: [['officeId']],
  });

export const officesOf = (projection: string): Collection<Office> =>
  defineCollection<Office>({ name: `${projection}_offices`, partition: 'id', indexes: [] });

type PostingEvent<Type> = Extract<EventOf<(typeof postingEvents)[number]>, { type: Type }>;
type OfficeRecorded = EventOf<(typeof officeEvents)[number]>;
type Changed = (id: string, documents: Documents) => void;

/** Keep the postings up to date; `changed` refreshes the documents that show one. */
export const postingHandlers = (postings: Collection<Posting>, changed: Changed) => ({
  PostingRecorded({ data, metadata: { recordedAt } }: PostingEvent<'PostingRecorded'>, documents: Documents) {
    const { postingId, ...facts } = data;
    const before = documents.get(postings, postingId);
    documents.put(postings, postingId, {
      facts,
      officeId: facts.officeId,
      createdAt: before?.createdAt ?? recordedAt,
      changedAt: recordedAt,
      closing: before?.closing ?? null,
    });
    changed(postingId, documents);
  },

  PostingClosed({ data: { postingId }, metadata }: PostingEvent<'PostingClosed'>, documents: Documents) {
    const before = documents.get(postings, postingId);
    const { recordedAt, actor } = metadata;
    documents.put(postings, postingId, {
      facts: before?.facts ?? null,
      officeId: before?.officeId ?? null,
      createdAt: before?.createdAt ?? null,
      changedAt: recordedAt,
      closing: { recordedAt, actor },
    });
    changed(postingId, documents);
  },
});

/** Keep the offices up to date; `changed` refreshes the documents that show a posting of the office. */
export const officeHandlers = (
  offices: Collection<Office>,
  postings: Collection<Posting>,
  changed: Changed,
) => ({
  OfficeRecorded({ data, metadata }: OfficeRecorded, documents: Documents) {
    const { officeId, ...facts } = data;
    documents.put(offices, officeId, { facts, changedAt: metadata.recordedAt });
    for (const id of documents.ids(postings, 'officeId', officeId)) changed(id, documents);
  },
});
