import type { RecordedEvent } from '../../../src/event-store/port.ts';
import { statusAfter } from '../../support/status-after.ts';

/**
 * What the warehouse says, computed a second way: one event after another, in lists and maps, by nothing that the
 * warehouse uses. Times are milliseconds since 1970.
 */

interface ExpectedStay {
  readonly state: string;
  readonly began: number;
  ended: number | null;
  by: string | null;
}

export interface ExpectedApplication {
  readonly id: string;
  readonly posting: string;
  readonly professional: string;
  readonly applied: number;
  readonly stays: ExpectedStay[];
  saved: number | null;
  shortlisted: number | null;
  scheduled: number | null;
  interviewed: number | null;
  hired: number | null;
  rejected: number | null;
  closed: number | null;
  answer: number | null;
  outcome: string;
  moves: number;
  cancelled: number;
}

/** A member that is a text. */
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Each event with the time that counts: no stream's times go back. */
export const timed = (events: readonly RecordedEvent[]) => {
  const latest = new Map<string, number>();
  return events.map((event) => {
    const at = Math.max(latest.get(event.stream) ?? 0, Date.parse(textOf(event.metadata['recordedAt'])));
    latest.set(event.stream, at);
    return { type: event.type, stream: event.stream, data: event.data, at };
  });
};

const least = (...times: readonly (number | null)[]): number | null =>
  times.reduce((a, b) => (a === null ? b : b === null ? a : Math.min(a, b)), null);

export const expectedApplications = (events: readonly RecordedEvent[]): readonly ExpectedApplication[] => {
  const found = new Map<string, ExpectedApplication>();
  const closings = new Map<string, number>();
  const firstSaves = new Map<string, number>();
  for (const { type, data, at } of timed(events)) {
    const [id, posting, professional] = ['candidateId', 'postingId', 'professionalId'].map((name) =>
      textOf(data[name]),
    ) as [string, string, string];
    if (type === 'PostingClosed') closings.set(posting, least(closings.get(posting) ?? null, at) ?? at);
    if (type === 'PostingSaved') {
      const key = `${professional}/${posting}`;
      firstSaves.set(key, least(firstSaves.get(key) ?? null, at) ?? at);
    }
    if (type === 'CandidateApplied')
      found.set(id, {
        id,
        posting,
        professional,
        applied: at,
        stays: [],
        saved: null,
        shortlisted: null,
        scheduled: null,
        interviewed: null,
        hired: null,
        rejected: null,
        closed: null,
        answer: null,
        outcome: 'open',
        moves: 0,
        cancelled: 0,
      });
    const application = found.get(id);
    if (!application) continue;
    if (type === 'CandidateShortlistChanged' && data['isShortlisted'] === true) application.shortlisted ??= at;
    if (type === 'InterviewMoved') application.moves++;
    if (type === 'InterviewCancelled') application.cancelled++;
    const state = statusAfter[type];
    const last = application.stays.at(-1);
    if (state === undefined || last?.state === state) continue;
    if (last) [last.ended, last.by] = [at, state];
    application.stays.push({ state, began: at, ended: null, by: null });
    if (state === 'scheduled') application.scheduled ??= at;
    if (state === 'interviewed') application.interviewed ??= at;
    if (state === 'hired') application.hired ??= at;
    if (state === 'rejected') application.rejected ??= at;
  }
  for (const application of found.values()) {
    const { shortlisted, scheduled, interviewed, hired, rejected, posting, professional } = application;
    application.answer = least(shortlisted, scheduled, interviewed, hired, rejected);
    const saved = firstSaves.get(`${professional}/${posting}`);
    if (saved !== undefined && saved < application.applied) application.saved = saved;
    const now = application.stays.at(-1)?.state ?? '';
    const closing = closings.get(posting);
    if (closing !== undefined)
      for (const stay of application.stays)
        if (!['hired', 'rejected'].includes(stay.state) && (stay.ended ?? Infinity) > closing)
          [stay.ended, stay.by] = [Math.max(closing, stay.began), 'closed'];
    if (now === 'hired' || now === 'rejected') application.outcome = now;
    else if (closing !== undefined) {
      application.outcome = 'closed';
      application.closed = application.stays.at(-1)?.ended ?? null;
    }
  }
  return [...found.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
};

/** The estimate of Kaplan and Meier by its definition: at each time, of how many that last so long how many end. */
export const kaplanMeier = (
  lasting: readonly { readonly seconds: number; readonly goesOn: boolean }[],
  share = 0.5,
): number | null => {
  let surviving = 1;
  for (const seconds of [...new Set(lasting.map((each) => each.seconds))].sort((a, b) => a - b)) {
    const atRisk = lasting.filter((each) => each.seconds >= seconds).length;
    const ended = lasting.filter((each) => each.seconds === seconds && !each.goesOn).length;
    surviving *= (atRisk - ended) / atRisk;
    if (surviving <= 1 - share + 1e-9) return seconds;
  }
  return null;
};
