import { applyToPosting } from '../../../commands/candidates/apply-to-posting.ts';
import { changeCandidate } from '../../../commands/candidates/change-candidate.ts';
import { postReview } from '../../../commands/reviews/post-review.ts';
import { candidate, candidateIdOf } from '../../domain/candidate.ts';
import { review, reviewIdOf } from '../../domain/review.ts';
import { officeUser, placeOfOffice, professionalUser } from './people.ts';
import { planCommand, whenState, type Activity } from './plan-command.ts';
import { closingDay, publishDay, subjectOf } from './postings.ts';
import { pickByShare, pickSome, whole, type Random, type Several } from './random.ts';
import { postingAt } from './spread.ts';
import { DAYS, interviewOn, type World } from './world.ts';

/** The n-th applicant of a posting: first the neighbours of its office, then professionals ever further away. */
export const applicantOf = (world: World, posting: number, nth: number): number => {
  const { office, profession } = subjectOf(world, posting);
  const { from, size } = profession;
  const count = (world.starts[posting + 1] ?? 0) - (world.starts[posting] ?? 0);
  // Where the profession has too few, professionals of other ones apply.
  if (count > size) return (from + nth) % world.professionals;
  const start = (placeOfOffice(world, office) + world.random('posting', posting, 4)()) / world.cities;
  const step = nth % 2 === 0 ? -nth / 2 : (nth + 1) / 2;
  return from + ((Math.floor(start * size) + step + size) % size);
};

/** What an office does with a candidate. */
const changes = {
  shortlist: { isShortlisted: true },
  unlist: { isShortlisted: false },
  cancel: { officeStatus: 'applied' },
  hold: { officeStatus: 'interviewed' },
  hire: { officeStatus: 'hired' },
  reject: { officeStatus: 'rejected' },
} as const;
type Step = keyof typeof changes | 'schedule' | 'reschedule' | 'review' | 'review-again';

/**
 * What becomes of an application, and how often. The first candidates of the first posting live these in turn, and the
 * first eight of them end in every state there is.
 */
const histories: Several<{ readonly share: number; readonly steps: readonly Step[] }> = [
  { share: 30, steps: [] },
  { share: 9, steps: ['schedule'] },
  { share: 8, steps: ['schedule', 'hold'] },
  { share: 5, steps: ['shortlist', 'schedule', 'hold', 'hire', 'review', 'review-again'] },
  { share: 12, steps: ['reject'] },
  { share: 5, steps: ['schedule', 'cancel'] },
  { share: 8, steps: ['shortlist'] },
  { share: 4, steps: ['shortlist', 'schedule', 'reschedule'] },
  { share: 6, steps: ['schedule', 'hold', 'hire', 'review'] },
  { share: 4, steps: ['schedule', 'hold', 'reject'] },
  { share: 2, steps: ['schedule', 'cancel', 'reject'] },
  { share: 3, steps: ['hold'] },
  { share: 2, steps: ['shortlist', 'unlist', 'reject'] },
  { share: 2, steps: ['hold', 'schedule', 'hold', 'hire'] },
];

interface Turn {
  readonly day: number;
  readonly step: Step | 'apply';
}

const isReview = (step: Turn['step']) => step === 'review' || step === 'review-again';
const isInterview = (step: Turn['step']) => step === 'schedule' || step === 'reschedule';

/** Most applications come soon after the posting was published. */
const APPLYING_DAYS = 20;

/** The turns of a candidate by day, until the posting closes or the history ends. No two share a day. */
const turnsOf = (world: World, number: number, posting: number, nth: number): Turn[] => {
  const random = world.random('candidate', number);
  const life = (posting === 0 ? histories[nth] : undefined) ?? pickByShare(random, histories);
  const published = publishDay(world, posting);
  const closing = closingDay(world, posting);
  const turns: Turn[] = [];
  let day = published + Math.floor(Math.min(APPLYING_DAYS, DAYS - published) * random() ** 2);
  for (const step of ['apply' as const, ...(posting === 1 && nth === 0 ? [] : life.steps)]) {
    if (day >= DAYS || (day >= closing && !isReview(step))) break;
    turns.push({ day, step });
    // An interview is held on the day before what follows it, so that takes two days.
    day += whole(random, isInterview(step) ? 2 : 1, 4);
  }
  return turns;
};

/** Before it is called off or moved, an interview was planned for later; one that nothing follows is still to come. */
const interviewDay = (next: Turn | undefined, random: Random): number => {
  if (!next) return DAYS + whole(random, 1, 10);
  return next.step === 'cancel' || next.step === 'reschedule' ? next.day + 2 : next.day - 1;
};

/** An office's review of a professional whom it hired; a second one replaces the first. */
const reviewOf = (world: World, number: number, posting: number, professional: number, isSecond: boolean) => {
  const { office, profession, specialty } = subjectOf(world, posting);
  const [id, jobID] = [world.id('professional', professional), world.id('posting', posting)];
  const reviewId = reviewIdOf(id, world.id('office', office), jobID);
  // The second review names the same skills and endorses all: it replaces the first only because it differs.
  const random = world.random('review', number);
  const named = pickSome(random, profession.skills, whole(random, 2, 4));
  const [endorsed, renounced] = isSecond ? [named, []] : [named.slice(1), named.slice(0, 1)];
  return {
    user: officeUser(world, office),
    params: { id },
    body: { endorsed, renounced, jobID, profession: profession.id, specialty: specialty.name },
    isDone: isSecond ? undefined : whenState(review, reviewId, (state) => state !== null),
  };
};

/** An application, what the office does with it, and the reviews that follow; `number` counts all postings' candidates. */
export const candidateActivities = (world: World, number: number): Activity[] => {
  const posting = postingAt(world.starts, number);
  const nth = number - (world.starts[posting] ?? 0);
  return turnsOf(world, number, posting, nth).map(({ day, step }, index, turns) => ({
    day,
    kind: isReview(step) ? 'review' : undefined,
    occasion: isReview(step) ? Number(step === 'review-again') : day,
    plan(ports) {
      const professional = applicantOf(world, posting, nth);
      if (step === 'review' || step === 'review-again')
        return planCommand(
          ports,
          postReview,
          reviewOf(world, number, posting, professional, step !== 'review'),
        );
      const user = professionalUser(world, professional);
      const postingId = world.id('posting', posting);
      if (step === 'apply') {
        const body = { resumeId: world.id('resume', professional) };
        return planCommand(ports, applyToPosting, { user, params: { postingId }, body });
      }
      const candidateId = candidateIdOf(postingId, user.professionalId);
      const random = world.random('candidate', number, day);
      return planCommand(ports, changeCandidate, {
        user: officeUser(world, subjectOf(world, posting).office),
        params: { postingId, candidateId },
        body:
          step === 'schedule' || step === 'reschedule'
            ? {
                officeStatus: 'scheduled',
                interviewAt: interviewOn(interviewDay(turns[index + 1], random), random),
              }
            : changes[step],
        isDone: whenState(
          candidate,
          candidateId,
          (state) => state !== null && state.updatedAt >= ports.clock().toISOString(),
        ),
      });
    },
  }));
};
