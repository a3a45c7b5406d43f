import type { Metadata } from '../../src/streams/events.ts';
import type { DomainEvent } from '../../src/domain/index.ts';
import type { Projection } from '../../src/projector/projection.ts';
import { defineCollection, type Collection } from '../../src/read-models/port.ts';
import type { OfficeData, PostingData } from '../../src/schema/vocabulary.ts';
import type { RefreshRows } from './rows.ts';

/** What a projection keeps of a posting. */
export interface PostingDocument {
  readonly facts: PostingData | null;
  readonly officeId: string | null;
  /** When the posting first arrived, and when its facts or closing last changed. */
  readonly createdAt: string | null;
  readonly changedAt: string;
  readonly closing: Pick<Metadata, 'recordedAt' | 'actor'> | null;
}

export interface OfficeDocument {
  readonly facts: OfficeData;
  readonly changedAt: string;
}

export const definePostingsCollection = (projection: string): Collection<PostingDocument> =>
  defineCollection<PostingDocument>({ name: `${projection}_postings`, partition: 'id', indexes: [['officeId']] });

export const defineOfficesCollection = (projection: string): Collection<OfficeDocument> =>
  defineCollection<OfficeDocument>({ name: `${projection}_offices`, partition: 'id', indexes: [] });

/** The handlers that keep postings. @param refresh renders the rows that show one */
export const createPostingHandlers = (
  postings: Collection<PostingDocument>,
  refresh: RefreshRows,
): Pick<Projection<DomainEvent>['handlers'], 'PostingRecorded' | 'PostingClosed'> => ({
  PostingRecorded({ data: { postingId, ...facts }, metadata: { recordedAt } }, documents) {
    const before = documents.get(postings, postingId);
    documents.put(postings, postingId, {
      facts,
      officeId: facts.officeId,
      createdAt: before?.createdAt ?? recordedAt,
      changedAt: recordedAt,
      closing: before?.closing ?? null,
    });
    refresh(postingId, documents);
  },
  PostingClosed({ data: { postingId }, metadata: { recordedAt, actor } }, documents) {
    const before = documents.get(postings, postingId);
    documents.put(postings, postingId, {
      facts: before?.facts ?? null,
      officeId: before?.officeId ?? null,
      createdAt: before?.createdAt ?? null,
      changedAt: recordedAt,
      closing: { recordedAt, actor },
    });
    refresh(postingId, documents);
  },
});

/** The handler that keeps offices. @param refresh renders the rows that show one of its postings */
export const createOfficeHandlers = (
  offices: Collection<OfficeDocument>,
  postings: Collection<PostingDocument>,
  refresh: RefreshRows,
): Pick<Projection<DomainEvent>['handlers'], 'OfficeRecorded'> => ({
  OfficeRecorded({ data: { officeId, ...facts }, metadata }, documents) {
    documents.put(offices, officeId, { facts, changedAt: metadata.recordedAt });
    for (const id of documents.ids(postings, 'officeId', officeId)) refresh(id, documents);
  },
});
