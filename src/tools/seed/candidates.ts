import { applyToPosting } from '../../../commands/candidates/apply-to-posting.ts';
import { changeCandidate } from '../../../commands/candidates/change-candidate.ts';
import { postReview } from '../../../commands/reviews/post-review.ts';
import { candidateIdOf } from '../../domain/candidate.ts';
import { createActivity, type Activity } from './activity.ts';
import { nthApplicantOf, hiringBehaviorOf, officeUserOf, professionalUserOf, postingSubjectOf } from './people.ts';
import { randomExponential, pickByShare, pickSome, rangeAt, rangeIndexOf, randomInteger } from './random.ts';
import {
  mostlySkipWeekend,
  closingDayOf,
  DAYS,
  randomInterviewTime,
  publishDayOf,
  skipWeekend,
  type World,
} from './world.ts';

/** A candidate by its number, which counts those of all postings. */
const candidateOf = (world: World, number: number) => {
  const posting = rangeIndexOf(world.starts, number);
  const nth = number - rangeAt(world.starts, posting).from;
  const professional = nthApplicantOf(world, posting, nth);
  const subject = postingSubjectOf(world, posting);
  return { world, number, posting, nth, professional, ...subject, manners: hiringBehaviorOf(world, subject.office) };
};
type Candidate = ReturnType<typeof candidateOf>;

/** What an office does with a candidate. */
const changes = {
  shortlist: { isShortlisted: true },
  unlist: { isShortlisted: false },
  cancel: { officeStatus: 'applied' },
  hold: { officeStatus: 'interviewed' },
  hire: { officeStatus: 'hired' },
  reject: { officeStatus: 'rejected' },
} as const;
type Step = keyof typeof changes | 'schedule' | 'move' | 'review';

/**
 * What becomes of an application, and how often. The first candidates of the first posting live these in turn, and the
 * first eight of them end in every state there is. The second review replaces the first.
 */
const lives: readonly { readonly share: number; readonly steps: readonly Step[] }[] = [
  { share: 30, steps: [] },
  { share: 3, steps: ['schedule'] },
  { share: 9, steps: ['schedule', 'hold'] },
  { share: 5, steps: ['shortlist', 'schedule', 'hold', 'hire', 'review', 'review'] },
  { share: 12, steps: ['reject'] },
  { share: 4, steps: ['schedule', 'cancel'] },
  { share: 8, steps: ['shortlist'] },
  { share: 5, steps: ['shortlist', 'schedule', 'move', 'hold'] },
  { share: 8, steps: ['schedule', 'hold', 'hire', 'review'] },
  { share: 5, steps: ['schedule', 'hold', 'reject'] },
  { share: 3, steps: ['schedule', 'cancel', 'reject'] },
  { share: 3, steps: ['hold'] },
  { share: 2, steps: ['shortlist', 'unlist', 'reject'] },
  { share: 2, steps: ['hold', 'schedule', 'hold', 'hire'] },
  { share: 1, steps: ['schedule', 'move', 'move', 'hold', 'hire'] },
];

const lifeOf = ({ world, number, posting, nth, manners }: Candidate): readonly Step[] => {
  if (posting === 1 && nth === 0) return [];
  const drawn = pickByShare(world.random('life', number), lives, ({ share, steps }) =>
    steps.length === 0 ? share * manners.silence : steps.includes('hire') ? share * manners.hires : share,
  );
  return ((posting === 0 ? lives[nth] : undefined) ?? drawn).steps;
};

interface Turn {
  readonly day: number;
  readonly step: Step | 'apply';
  /** The day of the interview that is planned then. */
  readonly interview: number;
}

/** Most applications come soon after the posting was published. */
const APPLYING_DAYS = 20;
const LAST_WEEKDAY = DAYS - 2;
const LONGEST_WAIT = 3;

/** The turns of a candidate by day, until the posting closes or the history ends. No two share a day. */
const turnsOf = (candidate: Candidate): Turn[] => {
  const { world, number, posting, manners } = candidate;
  const random = world.random('candidate', number);
  const published = publishDayOf(world, posting);
  const closing = closingDayOf(world, posting);
  const applyingDays = Math.min(APPLYING_DAYS, LAST_WEEKDAY + 1 - published);
  const turns: Turn[] = [];
  let [day, interview] = [0, 0];
  for (const step of ['apply' as const, ...lifeOf(candidate)]) {
    if (step === 'apply') day = mostlySkipWeekend(published + Math.floor(applyingDays * random() ** 2), random);
    // An interview is moved or cancelled before its day, and what follows it comes after that.
    else if (step === 'move' || step === 'cancel') day = skipWeekend(day + 1);
    else if (interview > day) day = skipWeekend(interview + 1);
    else if (turns.length > 1) day = mostlySkipWeekend(day + randomInteger(random, 1, 4), random);
    else
      day = mostlySkipWeekend(
        day + 1 + Math.floor(manners.days * Math.min(randomExponential(random), LONGEST_WAIT)),
        random,
      );
    if (day >= DAYS || (day >= closing && step !== 'review')) break;
    if (step === 'schedule') interview = skipWeekend(day + randomInteger(random, 4, 10));
    if (step === 'move') interview = skipWeekend(interview + randomInteger(random, 1, 7));
    if (step === 'cancel') interview = 0;
    turns.push({ day, step, interview });
  }
  return turns;
};

/** An application, what the office does with it, and the reviews that follow. */
export const candidateActivities = (world: World, number: number): Activity[] => {
  const candidate = candidateOf(world, number);
  const { posting, professional, office, profession, specialty } = candidate;
  const postingId = world.id('posting', posting);
  const professionalId = world.id('professional', professional);
  return turnsOf(candidate).map(({ day, step, interview }, index, turns) => {
    if (step === 'apply')
      return createActivity(day, applyToPosting, () => ({
        user: professionalUserOf(world, professional),
        params: { postingId },
        body: { resumeId: world.id('resume', professional) },
      }));
    const user = officeUserOf(world, office);
    if (step === 'review')
      return createActivity(day, postReview, () => {
        const random = world.random('review', number);
        const skills = pickSome(random, profession.skills, randomInteger(random, 2, 4));
        // A second review names the same skills and endorses all.
        const renounced = turns[index - 1]?.step === 'review' ? 0 : 1;
        const body = {
          endorsed: skills.slice(renounced),
          renounced: skills.slice(0, renounced),
          jobID: postingId,
          profession: profession.id,
          specialty: specialty.name,
        };
        return { user, params: { id: professionalId }, body };
      });
    return createActivity(day, changeCandidate, () => {
      const interviewAt = randomInterviewTime(interview, world.random('interview', number, day));
      const body =
        step === 'schedule' || step === 'move' ? { officeStatus: 'scheduled' as const, interviewAt } : changes[step];
      return { user, params: { postingId, candidateId: candidateIdOf(postingId, professionalId) }, body };
    });
  });
};
