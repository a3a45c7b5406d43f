import { candidate } from '../src/domain/candidate.ts';
import { streamOf } from '../src/streams/decider.ts';
import { entityText, type Entity } from '../src/domain/entity.ts';
import { posting } from '../src/domain/posting.ts';
import { professional } from '../src/domain/professional.ts';
import { review } from '../src/domain/review.ts';
import { savedPostings } from '../src/domain/saved-postings.ts';
import { user } from '../src/domain/user.ts';
import { decode, type DomainEvent } from '../src/domain/index.ts';
import type { Documents, Projection } from '../src/projector/projection.ts';
import { defineCollection, type Stored } from '../src/read-models/port.ts';

/**
 * A stream whose events name an entity that the stream's name does not. The id is the entity's text, `/` and the
 * stream.
 */
export interface EntityStream {
  /** As `entityText` gives it. */
  readonly entity: string;
}

/** The streams by entity, for those who search the history. */
export const streamsOfEntity = defineCollection<EntityStream>({
  name: 'entity_streams',
  partition: 'entity',
  indexes: [['entity']],
});

/** The stream of a document. */
export const streamIn = ({ id, doc: { entity } }: Stored<EntityStream>): string =>
  id.slice(entity.length + 1);

const note = (documents: Documents, stream: string, ...named: readonly Entity[]): void => {
  for (const entity of named.map(entityText))
    documents.put(streamsOfEntity, `${entity}/${stream}`, { entity });
};

/**
 * Which streams name an entity. Events that only repeat what an earlier event of their stream has named are not
 * applied: a candidate is of one posting and one professional for ever.
 */
export const entityStreams: Projection<DomainEvent> = {
  name: 'entity-streams',
  version: 1,
  collections: [streamsOfEntity],
  shared: [],
  decode,
  handlers: {
    ProfessionalRecorded({ data: { professionalId, userId } }, documents) {
      note(documents, streamOf(professional, professionalId), { kind: 'user', id: userId });
    },
    UserNamedByProfessional({ data: { userId, professionalId } }, documents) {
      note(documents, streamOf(user, userId), { kind: 'professional', id: professionalId });
    },
    PostingRecorded({ data: { postingId, officeId } }, documents) {
      note(documents, streamOf(posting, postingId), { kind: 'office', id: officeId });
    },
    CandidateApplied({ data: { candidateId, postingId, professionalId } }, documents) {
      note(
        documents,
        streamOf(candidate, candidateId),
        { kind: 'posting', id: postingId },
        { kind: 'professional', id: professionalId },
      );
    },
    PostingSaved({ data: { professionalId, postingId } }, documents) {
      note(documents, streamOf(savedPostings, professionalId), { kind: 'posting', id: postingId });
    },
    ReviewPosted({ data: { reviewId, professionalId, officeId, jobId } }, documents) {
      const stream = streamOf(review, reviewId);
      note(documents, stream, { kind: 'professional', id: professionalId }, { kind: 'office', id: officeId });
      if (jobId !== null) note(documents, stream, { kind: 'posting', id: jobId });
    },
  },
};
