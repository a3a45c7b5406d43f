import { candidateDecider } from '../src/domain/candidate.ts';
import { streamOf } from '../src/streams/decider.ts';
import { entityKeyOf, type Entity } from '../src/domain/entity.ts';
import { postingDecider } from '../src/domain/posting.ts';
import { professionalDecider } from '../src/domain/professional.ts';
import { reviewDecider } from '../src/domain/review.ts';
import { savedPostingsDecider } from '../src/domain/saved-postings.ts';
import { userDecider } from '../src/domain/user.ts';
import { decodeDomainEvent, type DomainEvent } from '../src/domain/index.ts';
import type { ProjectionDocuments, Projection } from '../src/projector/projection.ts';
import { defineCollection, type StoredDocument } from '../src/read-models/port.ts';

/**
 * A stream whose events name an entity that the stream's name does not. The id is the entity's text, `/` and the
 * stream.
 */
export interface EntityStream {
  /** As `entityKeyOf` gives it. */
  readonly entity: string;
}

/** The streams by entity, for those who search the history. */
export const entityStreamsCollection = defineCollection<EntityStream>({
  name: 'entity_streams',
  partition: 'entity',
  indexes: [['entity']],
});

/** The stream of a document. */
export const streamNameIn = ({ id, doc: { entity } }: StoredDocument<EntityStream>): string =>
  id.slice(entity.length + 1);

const noteNamedEntities = (documents: ProjectionDocuments, stream: string, ...named: readonly Entity[]): void => {
  for (const entity of named.map(entityKeyOf))
    documents.put(entityStreamsCollection, `${entity}/${stream}`, { entity });
};

/**
 * Which streams name an entity. Events that only repeat what an earlier event of their stream has named are not
 * applied: a candidate is of one posting and one professional for ever.
 */
export const entityStreams: Projection<DomainEvent> = {
  name: 'entity-streams',
  version: 1,
  collections: [entityStreamsCollection],
  shared: [],
  decode: decodeDomainEvent,
  handlers: {
    ProfessionalRecorded({ data: { professionalId, userId } }, documents) {
      noteNamedEntities(documents, streamOf(professionalDecider, professionalId), { kind: 'user', id: userId });
    },
    UserNamedByProfessional({ data: { userId, professionalId } }, documents) {
      noteNamedEntities(documents, streamOf(userDecider, userId), { kind: 'professional', id: professionalId });
    },
    PostingRecorded({ data: { postingId, officeId } }, documents) {
      noteNamedEntities(documents, streamOf(postingDecider, postingId), { kind: 'office', id: officeId });
    },
    CandidateApplied({ data: { candidateId, postingId, professionalId } }, documents) {
      noteNamedEntities(
        documents,
        streamOf(candidateDecider, candidateId),
        { kind: 'posting', id: postingId },
        { kind: 'professional', id: professionalId },
      );
    },
    PostingSaved({ data: { professionalId, postingId } }, documents) {
      noteNamedEntities(documents, streamOf(savedPostingsDecider, professionalId), { kind: 'posting', id: postingId });
    },
    ReviewPosted({ data: { reviewId, professionalId, officeId, jobId } }, documents) {
      const stream = streamOf(reviewDecider, reviewId);
      noteNamedEntities(
        documents,
        stream,
        { kind: 'professional', id: professionalId },
        { kind: 'office', id: officeId },
      );
      if (jobId !== null) noteNamedEntities(documents, stream, { kind: 'posting', id: jobId });
    },
  },
};
