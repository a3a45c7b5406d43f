import { setTimeout as delay } from 'node:timers/promises';
import { candidateIdOf } from '../../../src/domain/candidate.ts';
import type { CrowdPlan } from './crowd-plan.ts';
import { appendFirsts, eventOf, type EventLog } from './event-log.ts';
import type { Story } from './story.ts';
import { postingBody } from './world.ts';

/** The candidates of one posting that are written straight into the event log. */
export interface Crowd {
  readonly posting: string;
  readonly size: () => number;
  /** Each candidate's status, by id. */
  readonly statuses: () => ReadonlyMap<string, string>;
  readonly begin: () => Promise<void>;
  readonly grow: (by: number) => Promise<void>;
  /** Revises the posting and moves candidates as planned. */
  readonly stir: (plan: CrowdPlan, story: Story) => Promise<void>;
}

/** The successive moves of a candidate. */
const STEPS = [
  { type: 'InterviewScheduled', status: 'scheduled', data: { interviewAt: '2027-03-01T09:00:00.000Z' } },
  { type: 'InterviewHeld', status: 'interviewed', data: {} },
  { type: 'CandidateHired', status: 'hired', data: {} },
] as const;

export const createCrowd = (log: EventLog, run: string, office: string): Crowd => {
  const posting = `${run}-crowded`;
  const ids: { readonly candidateId: string; readonly postingId: string; readonly professionalId: string }[] = [];
  const statuses = new Map<string, string>();
  let revision = -1;

  const revise = async (): Promise<void> => {
    const data = { postingId: posting, ...postingBody(`Crowded ${revision + 1}`, office) };
    await log.append(`posting-${posting}`, revision, [eventOf('PostingRecorded', data)]);
    revision++;
  };

  return {
    posting,
    size: () => ids.length,
    statuses: () => statuses,
    begin: revise,
    async grow(by) {
      const more = Array.from({ length: by }, (_, index) => {
        const professionalId = `${run}-crowd-${ids.length + index}`;
        return { candidateId: candidateIdOf(posting, professionalId), postingId: posting, professionalId };
      });
      ids.push(...more);
      for (const { candidateId } of more) statuses.set(candidateId, 'applied');
      const firsts = more.map((each) => ({
        stream: `candidate-${each.candidateId}`,
        event: eventOf('CandidateApplied', { ...each, resumeId: 'resume' }),
      }));
      await appendFirsts(log, firsts);
    },
    async stir({ stirs, isClosed }, story) {
      const movable = [...ids];
      const began = story.now();
      for (const [round, { atMs, moved }] of stirs.entries()) {
        const step = STEPS[round];
        await delay(Math.max(0, atMs - (story.now() - began)));
        await revise();
        for (const each of movable.slice(0, moved)) {
          if (!step || statuses.get(each.candidateId) !== (STEPS[round - 1]?.status ?? 'applied')) continue;
          const { status, type, data } = step;
          const ofInterview = status === 'hired' ? {} : { interviewId: `${each.candidateId}-interview` };
          const event = eventOf(type, { ...each, ...ofInterview, ...data });
          await log.append(`candidate-${each.candidateId}`, round, [event]);
          statuses.set(each.candidateId, status);
        }
        story.tell(`the posting with ${ids.length} candidates is revised`);
      }
      if (!isClosed) return;
      await log.append(`posting-${posting}`, revision, [eventOf('PostingClosed', { postingId: posting })]);
      story.tell('and closed');
    },
  };
};
