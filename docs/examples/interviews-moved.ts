import type { ReplayProjection } from '../../src/history/replay/projection.ts';
import { daysBetween, median, valueOf } from './numbers.ts';

/** How many interviews are moved, how often, and by how many days? By office. */

interface Interview {
  readonly postingId: string;
  at: string;
  isCancelled: boolean;
  /** For each time that it was moved, by how many days; less than 0: to an earlier time. */
  readonly movedDays: number[];
}

interface State {
  readonly interviews: Map<string, Interview>;
  /** The office of each posting. */
  readonly offices: Map<string, string>;
}

export default {
  init: () => ({ interviews: new Map(), offices: new Map() }),
  handlers: {
    PostingRecorded({ data }, { offices }) {
      offices.set(data.postingId, data.officeId);
    },
    InterviewScheduled({ data: { interviewId, postingId, interviewAt } }, { interviews }) {
      interviews.set(interviewId, { postingId, at: interviewAt, isCancelled: false, movedDays: [] });
    },
    InterviewMoved({ data: { interviewId, interviewAt } }, { interviews }) {
      const interview = interviews.get(interviewId);
      if (!interview) return;
      interview.movedDays.push(daysBetween(interview.at, interviewAt));
      interview.at = interviewAt;
    },
    InterviewCancelled({ data }, { interviews }) {
      const interview = interviews.get(data.interviewId);
      if (interview) interview.isCancelled = true;
    },
  },
  *rows({ interviews, offices }) {
    const byOffice = new Map<string, Interview[]>();
    for (const interview of interviews.values())
      valueOf(byOffice, offices.get(interview.postingId) ?? 'unknown', () => []).push(interview);
    for (const [officeId, all] of byOffice)
      yield {
        officeId,
        interviews: all.length,
        moved: all.filter(({ movedDays }) => movedDays.length > 0).length,
        moves: all.flatMap(({ movedDays }) => movedDays).length,
        medianDays: median(all.flatMap(({ movedDays }) => movedDays)),
        cancelled: all.filter(({ isCancelled }) => isCancelled).length,
      };
  },
} satisfies ReplayProjection<State>;
