import type { ReplayedEvent, ReplayProjection } from '../../src/history/replay/projection.ts';
import { greatest, hoursBetween, median, valueOf } from './numbers.ts';

/** How long do offices take to answer an application? An answer is an invitation, an interview, a hire or a refusal. */

interface Application {
  readonly postingId: string;
  readonly at: string;
  answerHours: number | null;
}

interface State {
  /** By candidate. */
  readonly applications: Map<string, Application>;
  /** The office of each posting. */
  readonly offices: Map<string, string>;
  readonly closed: Set<string>;
}

const answer = (
  { data, metadata }: ReplayedEvent<'InterviewScheduled' | 'InterviewHeld' | 'CandidateHired' | 'CandidateRejected'>,
  { applications }: State,
): void => {
  const application = applications.get(data.candidateId);
  if (application) application.answerHours ??= hoursBetween(application.at, metadata.recordedAt);
};

export default {
  init: () => ({ applications: new Map(), offices: new Map(), closed: new Set() }),
  handlers: {
    PostingRecorded({ data }, { offices }) {
      offices.set(data.postingId, data.officeId);
    },
    PostingClosed({ data }, { closed }) {
      closed.add(data.postingId);
    },
    CandidateApplied({ data: { candidateId, postingId }, metadata }, { applications }) {
      applications.set(candidateId, { postingId, at: metadata.recordedAt, answerHours: null });
    },
    InterviewScheduled: answer,
    InterviewHeld: answer,
    CandidateHired: answer,
    CandidateRejected: answer,
  },
  *rows({ applications, offices, closed }, end) {
    const byOffice = new Map<string, Application[]>();
    for (const application of applications.values())
      valueOf(byOffice, offices.get(application.postingId) ?? 'unknown', () => []).push(application);
    for (const [officeId, all] of byOffice) {
      const answers = all.flatMap(({ answerHours }) => answerHours ?? []);
      const waiting = all.filter((each) => each.answerHours === null && !closed.has(each.postingId));
      yield {
        officeId,
        applications: all.length,
        answered: answers.length,
        medianHours: median(answers),
        waiting: waiting.length,
        longestWaitHours: greatest(waiting.map(({ at }) => hoursBetween(at, end.recordedAt ?? at))),
      };
    }
  },
} satisfies ReplayProjection<State>;
