import { applyToPosting } from '../../../commands/candidates/apply-to-posting.ts';
import { changeCandidate } from '../../../commands/candidates/change-candidate.ts';
import { candidate, candidateIdOf } from '../../domain/candidate.ts';
import { DAYS, interviewIn } from './calendar.ts';
import type { World } from './layout.ts';
import { lives, type Turn } from './lives.ts';
import { officeUser, placeOfOffice } from './offices.ts';
import { planCommand, whenState, type PlannedCommand } from './plan-command.ts';
import { closingDay, publishDay, subjectOf } from './postings.ts';
import { professionalUser, rangeOf } from './professionals.ts';
import { pickByShare, whole, type Random } from './random.ts';
import { planReview } from './reviews.ts';
import type { Source } from './source.ts';
import { postingAt } from './spread.ts';

/** The n-th applicant of a posting: first the neighbours of its office, then professionals ever further away. */
export const applicantOf = (world: World, posting: number, nth: number): number => {
  const { office, profession } = subjectOf(world, posting);
  const { from, size } = rangeOf(world, profession);
  const count = (world.starts[posting + 1] ?? 0) - (world.starts[posting] ?? 0);
  // Where the profession has too few, professionals of other ones apply.
  if (count > size) return (from + nth) % world.professionals;
  const start = (placeOfOffice(world, office) + world.random('posting', posting, 4)()) / world.cities;
  const step = nth % 2 === 0 ? -nth / 2 : (nth + 1) / 2;
  return from + ((Math.floor(start * size) + step + size) % size);
};

/** The n-th candidate of a posting; `number` counts those of all postings. */
interface Place {
  readonly number: number;
  readonly posting: number;
  readonly nth: number;
}
const placeOf = (world: World, number: number): Place => {
  const posting = postingAt(world.starts, number);
  return { number, posting, nth: number - (world.starts[posting] ?? 0) };
};

interface Act {
  readonly day: number;
  readonly turn: Turn | 'apply';
}

/** Most applications come soon after the posting was published. */
const APPLYING_DAYS = 20;

/** The acts of a life by day, until the posting closes or the history ends. No two share a day. */
const actsOf = (world: World, { number, posting, nth }: Place): Act[] => {
  const random = world.random('candidate', number);
  const life = (posting === 0 ? lives[nth] : undefined) ?? pickByShare(random, lives);
  const turns = posting === 1 && nth === 0 ? [] : life.turns;
  const published = publishDay(world, posting);
  const closing = closingDay(world, posting);
  const acts: Act[] = [];
  let day = published + Math.floor(Math.min(APPLYING_DAYS, DAYS - published) * random() ** 2);
  for (const turn of ['apply' as const, ...turns]) {
    const isReview = turn === 'review' || turn === 'review-again';
    if (day >= DAYS || (day >= closing && !isReview)) break;
    acts.push({ day, turn });
    // An interview is held on the day before what follows it, so that takes two days.
    day += whole(random, turn === 'schedule' || turn === 'reschedule' ? 2 : 1, 4);
  }
  return acts;
};

/** Before it is called off or moved, an interview was planned for later; one that nothing follows is still to come. */
const interviewDay = (next: Act | undefined, random: Random): number => {
  if (!next) return DAYS + whole(random, 1, 10);
  return next.turn === 'cancel' || next.turn === 'reschedule' ? next.day + 2 : next.day - 1;
};

const bodyOf = (turn: Exclude<Turn, 'review' | 'review-again'>, interviewAt: () => string) => {
  switch (turn) {
    case 'shortlist':
      return { isShortlisted: true };
    case 'unlist':
      return { isShortlisted: false };
    case 'schedule':
    case 'reschedule':
      return { officeStatus: 'scheduled', interviewAt: interviewAt() } as const;
    case 'cancel':
      return { officeStatus: 'applied' } as const;
    case 'hold':
      return { officeStatus: 'interviewed' } as const;
    case 'hire':
      return { officeStatus: 'hired' } as const;
    case 'reject':
      return { officeStatus: 'rejected' } as const;
  }
};

const toCommand = (
  world: World,
  place: Place,
  { turn, day }: Act,
  next: Act | undefined,
  at: number,
): PlannedCommand => {
  const { number, posting, nth } = place;
  const professional = applicantOf(world, posting, nth);
  if (turn === 'review' || turn === 'review-again')
    return planReview(world, { at, posting, professional, number, isSecond: turn === 'review-again' });
  const key = ['candidate', number, day] as const;
  const postingId = world.id('posting', posting);
  const user = professionalUser(world, professional);
  if (turn === 'apply') {
    const body = { resumeId: world.id('resume', professional) };
    return planCommand(world, applyToPosting, { at, key, user, params: { postingId }, body });
  }
  const candidateId = candidateIdOf(postingId, user.professionalId);
  const time = new Date(at).toISOString();
  const random = world.random('candidate', number, day);
  return planCommand(world, changeCandidate, {
    at,
    key,
    user: officeUser(world, subjectOf(world, posting).office),
    params: { postingId, candidateId },
    body: bodyOf(turn, () => interviewIn(world.now, interviewDay(next, random), random)),
    done: whenState(candidate, candidateId, (state) => state !== null && state.updatedAt >= time),
  });
};

/** Applications, what offices do with them, and the reviews that follow. */
export const candidates = (world: World): Source => ({
  kind: 'candidate',
  part: 'acts',
  count: world.starts.at(-1) ?? 0,
  daysOf: (number) => actsOf(world, placeOf(world, number)).map(({ day }) => day),
  commandOn(number, day, at) {
    const place = placeOf(world, number);
    const acts = actsOf(world, place);
    const index = acts.findIndex((act) => act.day === day);
    const act = acts[index];
    if (!act) throw new RangeError(`Candidate ${number} has no act on day ${day}`);
    return toCommand(world, place, act, acts[index + 1], at);
  },
});
