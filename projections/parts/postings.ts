import type { Metadata } from '../../src/streams/events.ts';
import type { NamedEvent } from '../../src/domain/index.ts';
import type { Handler } from '../../src/projector/projection.ts';
import { defineCollection, type Collection } from '../../src/read-models/port.ts';
import type { OfficeFacts, PostingFacts } from '../../src/schema/vocabulary.ts';
import type { Refresh } from './rows.ts';

/** What a projection keeps of a posting. */
export interface Posting {
  readonly facts: PostingFacts | null;
  readonly officeId: string | null;
  /** When the posting first arrived, and when its facts or closing last changed. */
  readonly createdAt: string | null;
  readonly changedAt: string;
  readonly closing: Pick<Metadata, 'recordedAt' | 'actor'> | null;
}

export interface Office {
  readonly facts: OfficeFacts;
  readonly changedAt: string;
}

export const postingsCollectionOf = (projection: string): Collection<Posting> =>
  defineCollection<Posting>({
    name: `${projection}_postings`,
    partition: 'id',
    indexes: [['officeId']],
  });

export const officesCollectionOf = (projection: string): Collection<Office> =>
  defineCollection<Office>({ name: `${projection}_offices`, partition: 'id', indexes: [] });

/** Keeps a posting. @param refresh renders the rows that show it */
export const keepPosting =
  (postings: Collection<Posting>, refresh: Refresh): Handler<NamedEvent<'PostingRecorded'>> =>
  ({ data: { postingId, ...facts }, metadata: { recordedAt } }, documents) => {
    const before = documents.get(postings, postingId);
    documents.put(postings, postingId, {
      facts,
      officeId: facts.officeId,
      createdAt: before?.createdAt ?? recordedAt,
      changedAt: recordedAt,
      closing: before?.closing ?? null,
    });
    refresh(postingId, documents);
  };

/** Keeps that a posting is closed. @param refresh renders the rows that show it */
export const keepClosing =
  (postings: Collection<Posting>, refresh: Refresh): Handler<NamedEvent<'PostingClosed'>> =>
  ({ data: { postingId }, metadata: { recordedAt, actor } }, documents) => {
    const before = documents.get(postings, postingId);
    documents.put(postings, postingId, {
      facts: before?.facts ?? null,
      officeId: before?.officeId ?? null,
      createdAt: before?.createdAt ?? null,
      changedAt: recordedAt,
      closing: { recordedAt, actor },
    });
    refresh(postingId, documents);
  };

/** Keeps an office. @param refresh renders the rows that show one of its postings */
export const keepOffice =
  (
    offices: Collection<Office>,
    postings: Collection<Posting>,
    refresh: Refresh,
  ): Handler<NamedEvent<'OfficeRecorded'>> =>
  ({ data: { officeId, ...facts }, metadata }, documents) => {
    documents.put(offices, officeId, { facts, changedAt: metadata.recordedAt });
    for (const id of documents.ids(postings, 'officeId', officeId)) refresh(id, documents);
  };
