import { applyPostingClosing, type Candidate } from '../src/domain/candidate.ts';
import type { CommuteEnds } from '../src/domain/commute.ts';
import { decodeDomainEvent, type DomainEvent } from '../src/domain/index.ts';
import type { ProjectionDocuments, Projection } from '../src/projector/projection.ts';
import { defineCollection } from '../src/read-models/port.ts';
import type { OfficeData, PostingData, CandidateProfessionalStatus } from '../src/schema/vocabulary.ts';
import { createCandidateHandlers } from './parts/candidates.ts';
import { commuteOf, type MeasuredRoadRoute } from './parts/commute.ts';
import {
  defineProfessionalsCollection,
  defineUserPhonesCollection,
  createProfessionalHandlers,
} from './parts/professionals.ts';
import {
  defineOfficesCollection,
  definePostingsCollection,
  createOfficeHandlers,
  createPostingHandlers,
  type PostingDocument,
} from './parts/postings.ts';
import { createRowWriter } from './parts/rows.ts';
import { updateDistanceCounts, savedPostingSummariesCollection } from './parts/saved-posting-summary.ts';

/** A saved posting, by the events of the professional's list. */
interface Save {
  readonly professionalId: string;
  readonly postingId: string;
  readonly savedAt: string;
  readonly changedAt: string;
  readonly measured: MeasuredRoadRoute | null;
}

type Facts = Omit<PostingData, 'officeId' | 'state' | 'title' | 'profession'>;

/** A saved posting as the professional sees it (interface specification, 2.4). */
export interface SavedPosting {
  readonly own: Save;
  readonly professionalId: string;
  readonly postingId: string;
  readonly savedAt: string;
  /** When the last event behind this document was recorded. */
  readonly asOf: string;
  /** Both places of a way that is only estimated, for the commute measurer. */
  readonly unmeasured: CommuteEnds | null;
  readonly isUnmeasured: number;
  readonly row: Facts & {
    readonly id: string;
    readonly title: string | null;
    readonly profession: string | null;
    readonly candidateStatus: CandidateProfessionalStatus | null;
    readonly candidateStatusUpdatedAt: string | null;
    readonly createdAt: string | null;
    readonly publishedAt: string | null;
    readonly isSaved: true;
    readonly onsiteInterviewsCount: number;
    readonly commute: {
      readonly drive: {
        readonly distance: number | null;
        readonly eta: string | null;
        readonly roadDistance: number | null;
      };
    };
    readonly offerOwner: {
      readonly id: string | null;
      readonly officeName: string | null;
      readonly address: OfficeData['address'];
      readonly officeInfo: OfficeData['officeInfo'];
    };
  };
}

/** When a posting was last taken off the list. */
export interface LastUnsave {
  readonly changedAt: string;
}

const professionals = defineProfessionalsCollection('saved_postings');
const phones = defineUserPhonesCollection('saved_postings');
const postings = definePostingsCollection('saved_postings');
const offices = defineOfficesCollection('saved_postings');
const applications = defineCollection<Candidate>({ name: 'saved_postings_applications', partition: 'id', indexes: [] });

export const lastUnsavesCollection = defineCollection<LastUnsave>({
  name: 'saved_posting_lists',
  partition: 'id',
  indexes: [],
});

export const savedPostingsCollection = defineCollection<SavedPosting>({
  name: 'saved_postings',
  partition: 'professionalId',
  indexes: [['professionalId'], ['postingId'], ['isUnmeasured', 'id']],
});

const unknownFacts: Facts = {
  description: null,
  professionName: null,
  subProfession: null,
  subProfessionName: null,
  specialty: null,
  benefits: [],
  benefitsOther: null,
  procedures: [],
  salaryRange: null,
  schedule: null,
};

const factsOf = (posting: PostingDocument | undefined): Facts => {
  if (!posting?.facts) return unknownFacts;
  const { officeId: _office, state: _state, title: _title, profession: _profession, ...facts } = posting.facts;
  return facts;
};

const render = (id: string, own: Save, documents: ProjectionDocuments): SavedPosting => {
  const { professionalId, postingId, savedAt } = own;
  const professional = documents.get(professionals, professionalId);
  const posting = documents.get(postings, postingId);
  const officeId = posting?.facts?.officeId ?? null;
  const office = officeId === null ? undefined : documents.get(offices, officeId);
  const application = documents.get(applications, id);
  const candidate = application && applyPostingClosing(application, posting?.closing ?? null);
  const commute = commuteOf(professional, office, own.measured);
  const unmeasured = commute && !commute.isMeasured ? { from: commute.from, to: commute.to } : null;
  const times = [posting?.changedAt, office?.changedAt, professional?.locatedAt, application?.updatedAt];
  return {
    own,
    professionalId,
    postingId,
    savedAt,
    asOf: times.reduce<string>((latest, at) => (at && at > latest ? at : latest), own.changedAt),
    unmeasured,
    isUnmeasured: unmeasured ? 1 : 0,
    row: {
      id: postingId,
      ...factsOf(posting),
      title: posting?.facts?.title ?? null,
      profession: posting?.facts?.profession ?? null,
      candidateStatus: candidate?.professionalStatus ?? null,
      candidateStatusUpdatedAt: candidate?.professionalStatusUpdatedAt ?? null,
      createdAt: posting?.createdAt ?? null,
      publishedAt: posting?.createdAt ?? null,
      isSaved: true,
      onsiteInterviewsCount: candidate?.interviewsCount ?? 0,
      commute: {
        drive: {
          distance: commute?.distance ?? null,
          eta: commute?.road.eta ?? null,
          roadDistance: commute?.road.roadDistance ?? null,
        },
      },
      offerOwner: {
        id: officeId,
        officeName: office?.facts.officeName ?? null,
        address: office?.facts.address ?? [],
        officeInfo: office?.facts.officeInfo ?? null,
      },
    },
  };
};

const roadMilesOf = (saved: SavedPosting | undefined) => saved?.row.commute.drive.roadDistance;

const rows = createRowWriter<Save, SavedPosting>({
  collection: savedPostingsCollection,
  ownOf: ({ own }) => own,
  render,
  count(before, after, documents) {
    const id = (after ?? before)?.professionalId;
    if (id !== undefined) updateDistanceCounts(id, roadMilesOf(before), roadMilesOf(after), documents);
  },
});

/** The id of a saved posting; `/` is in no identifier. */
export const savedPostingIdOf = ({ professionalId, postingId }: Pick<Save, 'professionalId' | 'postingId'>): string =>
  `${professionalId}/${postingId}`;

const refreshOfPosting = rows.refreshBy('postingId');
const applicationHandlers = createCandidateHandlers(
  {
    ownOf: (id, documents) => documents.get(applications, id),
    set(id, application, documents) {
      documents.put(applications, id, application);
      rows.refresh(id, documents);
    },
  },
  savedPostingIdOf,
);

/** The postings that a professional saved, with their summary (interface specification, 4.6). */
export const savedPostings: Projection<DomainEvent> = {
  name: 'saved-postings',
  version: 2,
  collections: [
    savedPostingSummariesCollection,
    savedPostingsCollection,
    lastUnsavesCollection,
    applications,
    professionals,
    phones,
    postings,
    offices,
  ],
  shared: [phones, postings, offices],
  decode: decodeDomainEvent,
  handlers: {
    PostingSaved({ data, metadata: { recordedAt } }, documents) {
      const save = { ...data, savedAt: recordedAt, changedAt: recordedAt, measured: null };
      rows.set(savedPostingIdOf(data), save, documents);
    },
    PostingUnsaved({ data, metadata: { recordedAt } }, documents) {
      rows.remove(savedPostingIdOf(data), documents);
      documents.put(lastUnsavesCollection, data.professionalId, { changedAt: recordedAt });
    },
    CommuteMeasured({ data, metadata: { recordedAt } }, documents) {
      const { professionalId: _professional, postingId: _posting, ...measured } = data;
      const before = rows.ownOf(savedPostingIdOf(data), documents);
      if (before) rows.set(savedPostingIdOf(data), { ...before, changedAt: recordedAt, measured }, documents);
    },
    ...applicationHandlers,
    ...createProfessionalHandlers(professionals, phones, rows.refreshBy('professionalId')),
    ...createPostingHandlers(postings, refreshOfPosting),
    ...createOfficeHandlers(offices, postings, refreshOfPosting),
  },
};
