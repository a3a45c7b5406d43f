import { closedWithPosting, type Candidate } from '../src/domain/candidate.ts';
import type { OfficeFacts } from '../src/domain/office.ts';
import type { PostingFacts } from '../src/domain/posting.ts';
import type { Coordinates } from '../src/domain/commute.ts';
import type { Documents, Projection } from '../src/projector/projection.ts';
import { defineCollection } from '../src/read-models/port.ts';
import type { ProfessionalStatus } from '../src/schema/vocabulary.ts';
import { candidateHandlers } from './parts/candidates.ts';
import { commuteOf } from './parts/commute.ts';
import { peopleHandlers, peopleOf } from './parts/people.ts';
import { officeHandlers, officesOf, postingHandlers, postingsOf, type Posting } from './parts/postings.ts';
import { saveHandlers, saveIdOf, type Save } from './parts/saves.ts';
import { countInSummary, summaryOfProfessional } from './parts/summary.ts';
import { viewOf } from './parts/view.ts';

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
  readonly unmeasured: { readonly from: Coordinates; readonly to: Coordinates } | null;
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
export interface SavedPostingList {
  readonly changedAt: string;
}

const people = peopleOf('saved_postings');
const postings = postingsOf('saved_postings');
const offices = officesOf('saved_postings');
const applications = defineCollection<Candidate>({
  name: 'saved_postings_applications',
  partition: 'id',
  indexes: [],
});

export const savedPostingLists = defineCollection<SavedPostingList>({
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
  const person = documents.get(people.people, professionalId);
  const posting = documents.get(postings, postingId);
  const officeId = posting?.facts?.officeId ?? null;
  const office = officeId === null ? undefined : documents.get(offices, officeId);
  const application = documents.get(applications, id);
  const candidate = application && closedWithPosting(application, posting?.closing ?? null);
  const commute = commuteOf(person, office, own.measured);
  const unmeasured = commute && !commute.isMeasured ? { from: commute.from, to: commute.to } : null;
  const times = [
    own.changedAt,
    posting?.changedAt,
    office?.changedAt,
    person?.locatedAt,
    application?.updatedAt,
  ];
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

const view = viewOf<Save, SavedPosting>({
  collection: postingsOfProfessional,
  ownOf: ({ own }) => own,
  render,
  rendered(before, after, documents) {
    const id = (after ?? before)?.professionalId;
    if (id !== undefined) countInSummary(id, milesOf(before), milesOf(after), documents);
  },
});

const saves = saveHandlers(view);

/** The postings that a professional saved, with their summary (interface specification, 4.6). */
export const savedPostings: Projection = {
  name: 'saved-postings',
  version: 2,
  collections: [
    summaryOfProfessional,
    postingsOfProfessional,
    savedPostingLists,
    applications,
    people.people,
    people.phones,
    postings,
    offices,
  ],
  grouping: { by: 'professionalId', shared: [people.phones, postings, offices] },
  handlers: {
    ...saves,
    PostingUnsaved(event, documents) {
      saves.PostingUnsaved(event, documents);
      const list = { changedAt: event.metadata.recordedAt };
      documents.put(savedPostingLists, event.data.professionalId, list);
    },
    ...candidateHandlers(
      {
        ownOf: (id, documents) => documents.get(applications, id),
        set(id, own, documents) {
          documents.put(applications, id, own);
          view.refresh(id, documents);
        },
      },
      ({ professionalId, postingId }) => saveIdOf(professionalId, postingId),
    ),
    ...peopleHandlers(people, (id, documents) => view.refreshAll('professionalId', id, documents)),
    ...postingHandlers(postings, (id, documents) => view.refreshAll('postingId', id, documents)),
    ...officeHandlers(offices, postings, (id, documents) => view.refreshAll('postingId', id, documents)),
  },
};
