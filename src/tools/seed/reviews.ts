import { postReview } from '../../../commands/reviews/post-review.ts';
import { review, reviewIdOf } from '../../domain/review.ts';
import type { World } from './layout.ts';
import { officeUser } from './offices.ts';
import { planCommand, whenState, type PlannedCommand } from './plan-command.ts';
import { subjectOf } from './postings.ts';
import { pickSome, whole } from './random.ts';

interface Review {
  readonly at: number;
  readonly posting: number;
  readonly professional: number;
  /** Of the candidate who was hired. */
  readonly number: number;
  readonly isSecond: boolean;
}

/** An office's review of a professional whom it hired; a second one replaces the first. */
export const planReview = (
  world: World,
  { at, posting, professional, number, isSecond }: Review,
): PlannedCommand => {
  const { office, profession, specialty } = subjectOf(world, posting);
  // The second review names the same skills and endorses all: it replaces the first only because it differs.
  const random = world.random('review', number);
  const named = pickSome(random, profession.skills, whole(random, 2, 4));
  const endorsed = isSecond ? named : named.slice(1);
  const renounced = isSecond ? [] : named.slice(0, 1);
  const user = officeUser(world, office);
  const [professionalId, postingId] = [world.id('professional', professional), world.id('posting', posting)];
  const reviewId = reviewIdOf(professionalId, world.id('office', office), postingId);
  return planCommand(world, postReview, {
    at,
    key: ['review', number, isSecond ? 1 : 0],
    user,
    params: { id: professionalId },
    body: { endorsed, renounced, jobID: postingId, profession: profession.id, specialty: specialty.name },
    done: isSecond ? undefined : whenState(review, reviewId, (state) => state !== null),
  });
};
