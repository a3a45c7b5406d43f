import { savePosting } from '../../../commands/saved-postings/save-posting.ts';
import { unsavePosting } from '../../../commands/saved-postings/unsave-posting.ts';
import { savedPostings } from '../../domain/saved-postings.ts';
import { FIRST_POSTING_DAY } from './calendar.ts';
import type { World } from './layout.ts';
import { planCommand, whenState, type PlannedCommand } from './plan-command.ts';
import { publishedBy } from './postings.ts';
import { placeOfProfessional, professionalUser } from './professionals.ts';
import { chance, whole, type Random } from './random.ts';
import type { Source } from './source.ts';

interface Act {
  readonly day: number;
  readonly posting: number;
  readonly isSave: boolean;
}

/** Mostly a posting of the professional's own city, out of those published by that day. */
const choose = (world: World, place: number, day: number, random: Random): number => {
  const published = publishedBy(world, day);
  const near = Math.ceil((published - place) / world.cities);
  return near > 0 && chance(random, 0.75)
    ? place + world.cities * whole(random, 0, near - 1)
    : whole(random, 0, published - 1);
};

/** Late enough for a small world to have some postings. */
const DEMO_AFTER = 40;

/** Saves on different days, and after them one that is taken back; the last one never is. */
const actsOf = (world: World, professional: number, isDemo: boolean): Act[] => {
  const random = world.random('saves', professional);
  if (!isDemo && !chance(random, 0.45)) return [];
  const count = isDemo ? 4 : whole(random, 1, 5);
  const acts: Act[] = [];
  let day = FIRST_POSTING_DAY + (isDemo ? DEMO_AFTER : whole(random, 2, 40));
  const place = placeOfProfessional(world, professional);
  // In a small world the same postings come up again and again.
  for (let choices = 0; choices < 4 * count && acts.length < count; choices++) {
    const posting = isDemo && acts.length === 0 ? 0 : choose(world, place, day, random);
    if (acts.some((act) => act.posting === posting)) continue;
    acts.push({ day, posting, isSave: true });
    day += whole(random, 1, 5);
  }
  const regretted = acts[isDemo ? 1 : 0];
  if (acts.length > 2 && regretted && (isDemo || chance(random, 0.3)))
    acts.push({ ...regretted, day, isSave: false });
  return acts;
};

const toCommand = (
  world: World,
  professional: number,
  { day, posting, isSave }: Act,
  at: number,
): PlannedCommand => {
  const user = professionalUser(world, professional);
  const time = new Date(at).toISOString();
  const details = {
    at,
    key: ['saves', professional, day] as const,
    user,
    params: {},
    body: { postingId: world.id('posting', posting) },
  };
  if (!isSave) return planCommand(world, unsavePosting, details);
  return planCommand(world, savePosting, {
    ...details,
    // A later save shows that this one was made, though it may have been taken back since.
    done: whenState(savedPostings, user.professionalId, ({ savedAt }) =>
      [...savedAt.values()].some((later) => later >= time),
    ),
  });
};

/** Saves, and saves taken back. */
export const saves = (world: World, demo: number): Source => ({
  kind: 'saves',
  part: 'acts',
  count: world.professionals,
  daysOf: (professional) => actsOf(world, professional, professional === demo).map(({ day }) => day),
  commandOn(professional, day, at) {
    const act = actsOf(world, professional, professional === demo).find((one) => one.day === day);
    if (!act) throw new RangeError(`Professional ${professional} saves nothing on day ${day}`);
    return toCommand(world, professional, act, at);
  },
});
