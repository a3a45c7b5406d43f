import { candidateIdOf } from '../../src/domain/candidate.ts';
import type { JsonObject } from '../../src/schema/json.ts';
import { metadata } from '../support/examples.ts';
import { memoryLog, openMemoryEventStore } from '../support/memory-stores.ts';

const facts = {
  description: null,
  profession: 'Dentist',
  professionName: null,
  subProfession: null,
  subProfessionName: null,
  specialty: null,
  state: null,
  benefits: [],
  benefitsOther: null,
  procedures: [],
  salaryRange: null,
  schedule: null,
};

/** The ids of one professional's application to the posting. */
export const idsOf = (number: number) => {
  const [postingId, professionalId] = ['p1', `professional-${number}`];
  return { candidateId: candidateIdOf(postingId, professionalId), postingId, professionalId };
};
export const streamOf = (number: number): string => `candidate-${idsOf(number).candidateId}`;

/** An event log in memory with one posting and its applicants. */
export const postingWorld = () => {
  const log = memoryLog();
  const eventStore = openMemoryEventStore(log);
  const revisions = new Map<string, number>();

  /** Adds one event without notifying subscriptions; gives its position. */
  const append = (stream: string, type: string, data: JsonObject): string => {
    const revision = (revisions.get(stream) ?? -1) + 1;
    const position = String(log.events.length + 1).padStart(6, '0');
    log.events.push({ id: `e${position}`, stream, revision, type, version: 1, data, metadata, position });
    revisions.set(stream, revision);
    return position;
  };
  return {
    eventStore,
    log,
    records: (title: string, postingId = 'p1', officeId = 'o1') =>
      append(`posting-${postingId}`, 'PostingRecorded', { postingId, officeId, title, ...facts }),
    closes: () => append('posting-p1', 'PostingClosed', { postingId: 'p1' }),
    officeIs: (officeName: string, officeId = 'o1') =>
      append(`office-${officeId}`, 'OfficeRecorded', { officeId, officeName, address: [], officeInfo: null }),
    applies: (number: number) => append(streamOf(number), 'CandidateApplied', { ...idsOf(number), resumeId: 'r' }),
    saves: (number: number, postingId: string) =>
      append(`savedPostings-professional-${number}`, 'PostingSaved', {
        professionalId: `professional-${number}`,
        postingId,
      }),
    interviews: (number: number) =>
      append(streamOf(number), 'InterviewScheduled', {
        ...idsOf(number),
        interviewId: `i${number}`,
        interviewAt: '2026-05-01T09:00:00.000Z',
      }),
    hires: (number: number) => append(streamOf(number), 'CandidateHired', idsOf(number)),
  };
};
export type PostingWorld = ReturnType<typeof postingWorld>;
