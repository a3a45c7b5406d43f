import { withClosing, type Candidate } from '../src/domain/candidate.ts';
import type { Ends } from '../src/domain/commute.ts';
import { decode, type DomainEvent } from '../src/domain/index.ts';
import type { Documents, Projection } from '../src/projector/projection.ts';
import { defineCollection } from '../src/read-models/port.ts';
import type { OfficeFacts, PostingFacts, ProfessionalStatus } from '../src/schema/vocabulary.ts';
import { candidateHandlers } from './parts/candidates.ts';
import { commuteOf, type Measured } from './parts/commute.ts';
import {
  professionalsCollectionOf,
  phonesCollectionOf,
  keepProfessional,
  keepPhone,
} from './parts/professionals.ts';
import {
  keepClosing,
  officesCollectionOf,
  postingsCollectionOf,
  keepOffice,
  keepPosting,
  type Posting,
} from './parts/postings.ts';
import { renderedRows } from './parts/rows.ts';
import { countInSummary, summaryOfProfessional } from './parts/summary.ts';

/** A saved posting, by the events of the professional's list. */
interface Save {
  readonly professionalId: string;
  readonly postingId: string;
  readonly savedAt: string;
  readonly changedAt: string;
  readonly measured: Measured | null;
}

type Facts = Omit<PostingFacts, 'officeId' | 'state' | 'title' | 'profession'>;

/** A saved posting as the professional sees it (interface specification, 2.4). */
export interface SavedPosting {
  readonly own: Save;
  readonly professionalId: string;
  readonly postingId: string;
  readonly savedAt: string;
  /** When the last event behind this document was recorded. */
  readonly asOf: string;
  /** Both places of a way that is only estimated, for the commute measurer. */
  readonly unmeasured: Ends | null;
  readonly isUnmeasured: number;
  readonly row: Facts & {
    readonly id: string;
    readonly title: string | null;
    readonly profession: string | null;
    readonly candidateStatus: ProfessionalStatus | null;
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
      readonly address: OfficeFacts['address'];
      readonly officeInfo: OfficeFacts['officeInfo'];
    };
  };
}

/** When a posting was last taken off the list. */
export interface SavedPostingListChange {
  readonly changedAt: string;
}

const professionals = professionalsCollectionOf('saved_postings');
const phones = phonesCollectionOf('saved_postings');
const postings = postingsCollectionOf('saved_postings');
const offices = officesCollectionOf('saved_postings');
const applications = defineCollection<Candidate>({
  name: 'saved_postings_applications',
  partition: 'id',
  indexes: [],
});

export const savedPostingLists = defineCollection<SavedPostingListChange>({
  name: 'saved_posting_lists',
  partition: 'id',
  indexes: [],
});

export const postingsOfProfessional = defineCollection<SavedPosting>({
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

const factsOf = (posting: Posting | undefined): Facts => {
  if (!posting?.facts) return unknownFacts;
  const {
    officeId: _office,
    state: _state,
    title: _title,
    profession: _profession,
    ...facts
  } = posting.facts;
  return facts;
};

const render = (id: string, own: Save, documents: Documents): SavedPosting => {
  const { professionalId, postingId, savedAt } = own;
  const professional = documents.get(professionals, professionalId);
  const posting = documents.get(postings, postingId);
  const officeId = posting?.facts?.officeId ?? null;
  const office = officeId === null ? undefined : documents.get(offices, officeId);
  const application = documents.get(applications, id);
  const candidate = application && withClosing(application, posting?.closing ?? null);
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

const milesOf = (saved: SavedPosting | undefined) => saved?.row.commute.drive.roadDistance;

const rows = renderedRows<Save, SavedPosting>({
  collection: postingsOfProfessional,
  ownOf: ({ own }) => own,
  render,
  count(before, after, documents) {
    const id = (after ?? before)?.professionalId;
    if (id !== undefined) countInSummary(id, milesOf(before), milesOf(after), documents);
  },
});

/** The id of a saved posting; `/` is in no identifier. */
export const saveIdOf = ({ professionalId, postingId }: Pick<Save, 'professionalId' | 'postingId'>): string =>
  `${professionalId}/${postingId}`;

const refreshOfProfessional = rows.refreshBy('professionalId');
const refreshOfPosting = rows.refreshBy('postingId');
const applicationHandlers = candidateHandlers(
  {
    ownOf: (id, documents) => documents.get(applications, id),
    set(id, application, documents) {
      documents.put(applications, id, application);
      rows.refresh(id, documents);
    },
  },
  saveIdOf,
);

/** The postings that a professional saved, with their summary (interface specification, 4.6). */
export const savedPostings: Projection<DomainEvent> = {
  name: 'saved-postings',
  version: 2,
  collections: [
    summaryOfProfessional,
    postingsOfProfessional,
    savedPostingLists,
    applications,
    professionals,
    phones,
    postings,
    offices,
  ],
  shared: [phones, postings, offices],
  decode,
  handlers: {
    PostingSaved({ data, metadata: { recordedAt } }, documents) {
      const save = { ...data, savedAt: recordedAt, changedAt: recordedAt, measured: null };
      rows.set(saveIdOf(data), save, documents);
    },
    PostingUnsaved({ data, metadata: { recordedAt } }, documents) {
      rows.remove(saveIdOf(data), documents);
      documents.put(savedPostingLists, data.professionalId, { changedAt: recordedAt });
    },
    CommuteMeasured({ data, metadata: { recordedAt } }, documents) {
      const { professionalId: _professional, postingId: _posting, ...measured } = data;
      const before = rows.ownOf(saveIdOf(data), documents);
      if (before) rows.set(saveIdOf(data), { ...before, changedAt: recordedAt, measured }, documents);
    },
    ...applicationHandlers,
    ProfessionalRecorded: keepProfessional(professionals, phones, refreshOfProfessional),
    PhoneNumberChanged: keepPhone(professionals, phones, refreshOfProfessional),
    PostingRecorded: keepPosting(postings, refreshOfPosting),
    PostingClosed: keepClosing(postings, refreshOfPosting),
    OfficeRecorded: keepOffice(offices, postings, refreshOfPosting),
  },
};
