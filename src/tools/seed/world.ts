import { parse, v5, v7 } from 'uuid';
import type { IdAndCodeGenerator } from '../../ports/id-and-code-generator.ts';
import { cities, dental } from './lists.ts';
import {
  chance,
  randomExponential,
  itemAt,
  sfc32,
  weightedOffsets,
  rangeAt,
  rangeIndexOf,
  sum,
  randomInteger,
} from './random.ts';
import type { Random, IndexRange } from './random.ts';

/** How many days of history a world has; the first one, 0, is a Monday. */
export const DAYS = 90;
/** People and offices come first; postings follow on weekdays, and leave the last days for applications. */
export const FIRST_POSTING_DAY = 21;
const FIRST_POSTING_WEEKDAY = 15;
const POSTING_WEEKDAYS = 46;

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** The midnight, UTC, at which each history ends: fixed, so that a seed makes the same world on every day. */
const END = Date.parse('2026-03-01T00:00:00.000Z');

/** Milliseconds since 1970 of a day's beginning; the history ends with day `DAYS`. */
const startOf = (day: number): number => END + (day - DAYS) * DAY_MS;

/** The parts of a day, in order, in hours UTC. An activity may need those of earlier parts, none of its own. */
export const dayPartHours = {
  records: [12, 14],
  postings: [14, 15],
  activities: [15, 23],
  codeIssued: [23, 23.05],
  codeAnswered: [23.1, 23.15],
  phoneChanged: [23.2, 23.25],
  closings: [23.5, 24],
} as const;
export type DayPart = keyof typeof dayPartHours;

/** The day itself, or the Monday after it. */
export const skipWeekend = (day: number): number => (day % 7 < 5 ? day : day + 7 - (day % 7));

const WEEKEND_SHARE = 0.15;
/** The day itself; what falls on a weekend is mostly done on one of the weekdays after it. */
export const mostlySkipWeekend = (day: number, random: Random): number =>
  skipWeekend(day) === day || chance(random, WEEKEND_SHARE) ? day : skipWeekend(day) + randomInteger(random, 0, 2);

/** A time for an interview, in RFC 3339: a full or half hour of a day, from 14:00 to 22:00 UTC. */
export const randomInterviewTime = (day: number, random: Random): string =>
  new Date(startOf(day) + randomInteger(random, 28, 44) * (HOUR_MS / 2)).toISOString();

/** Of all candidates, and of all people: the first posting is big, and in the biggest city. */
const [BIG_POSTING, BIG_CITY] = [0.04, 0.3];
/** Enough that a small world's first posting has a candidate in every state. */
const [LEAST_OF_BIG, MOST_OF_BIG] = [16, 5_000];

/** How many people live in each city, compared with the others. */
const cityWeights = (count: number): number[] => {
  const others = Array.from({ length: count - 1 }, (_, index) => (index + 2) ** -0.5);
  return [Math.max(1, (sum(others) * BIG_CITY) / (1 - BIG_CITY)), ...others];
};

/**
 * Spreads candidates unevenly over postings: each professional of the city applies to one once, and those of another
 * profession where there are not enough of its own.
 *
 * @returns how many each has
 */
const spread = (
  candidates: number,
  postings: readonly Record<'suited' | 'all', IndexRange>[],
  random: Random,
): number[] => {
  let left = candidates;
  const sizes = postings.map(() => 0);
  const fill = (posting: number, wanted: number, from: 'suited' | 'all') => {
    const before = itemAt(sizes, posting);
    const more = Math.max(0, Math.min(left, wanted, itemAt(postings, posting)[from].size - before));
    sizes[posting] = before + more;
    left -= more;
  };
  fill(0, Math.min(Math.max(Math.round(candidates * BIG_POSTING), LEAST_OF_BIG), MOST_OF_BIG), 'all');
  for (const from of ['suited', 'all'] as const) {
    // Between an exponential spread and a steeper one: many small postings, few popular ones.
    const weights = postings.map((_, posting) => (posting === 0 ? 0 : 0.1 + randomExponential(random) ** 1.4));
    let weightLeft = sum(weights);
    for (const [posting, weight] of weights.entries()) {
      fill(posting, Math.ceil((left * weight) / weightLeft), from);
      weightLeft -= weight;
    }
  }
  for (let posting = postings.length; posting-- > 0;) fill(posting, left, 'all');
  return sizes;
};

/** FNV-1a, 32 bits. */
const hashOf = (text: string): number => {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return hash;
};

const uuid = (msecs: number, random: Random): string =>
  v7({ msecs, random: new Uint8Array(Uint32Array.from({ length: 4 }, () => random() * 2 ** 32).buffer) });

export interface WorldOptions {
  /** A whole number from 0 to 4,294,967,295; each makes another world. */
  readonly seed: number;
  /** The number of applications, from which all other sizes follow: a whole number from 1 to 10,000,000. */
  readonly candidates: number;
}

/** The UUID namespace in which options become random numbers: a new one when the same options make another world. */
const NAMESPACE = '8d0c6a35-92b1-4e5e-b7f4-1a9f60c3d27b';

/** The frame of a world: its sizes, and the numbers and ids that everything in it is made of. It holds no people. */
export const createWorldOutline = ({ seed, candidates }: WorldOptions) => {
  // Worlds of another seed or size share no id, so that one store can hold several.
  const key = new DataView(parse(v5(`${seed}/${candidates}`, NAMESPACE)).buffer);
  const [first, second] = [key.getInt32(0), key.getInt32(12)];
  /** The random numbers of one thing for one purpose on one occasion, independent of other draws. */
  const random = (purpose: string, index: number, occasion = 0): Random =>
    sfc32(first ^ hashOf(purpose), second, index, occasion);

  const professionals = Math.max(8, Math.ceil(candidates / 3));
  const weights = cityWeights(Math.min(cities.length, Math.ceil(Math.sqrt(professionals) / 5)));
  const shares = dental.professions.map(({ share }) => share);
  /** Those of a city are numbered one after the other, and among them those of a profession. */
  const people = weightedOffsets(professionals, weights);
  const professions = weights.map((_, place) => {
    const { from, size } = rangeAt(people, place);
    return weightedOffsets(size, shares).map((start) => from + start);
  });
  const draw = random('postings', 0);
  /** The city and the profession of each posting, by their numbers: more where more people are. */
  const postings = Array.from({ length: 12 + Math.ceil(candidates / 50) }, (_, posting) => {
    const place = posting === 0 ? 0 : rangeIndexOf(people, randomInteger(draw, 0, professionals - 1));
    const profession = posting === 0 ? 0 : rangeIndexOf(weightedOffsets(100, shares), randomInteger(draw, 0, 99));
    const suited = rangeAt(itemAt(professions, place), profession);
    return { place, profession, suited, all: rangeAt(people, place) };
  });
  const sizes = spread(candidates, postings, random('sizes of postings', 0));
  return {
    professionals,
    people,
    professions,
    offices: weightedOffsets(Math.max(4, Math.ceil(candidates / 150)), weights, 1),
    postings,
    postingsIn: weights.map((_, of) => postings.flatMap(({ place }, posting) => (place === of ? [posting] : []))),
    /** The candidates of posting k are numbered from `starts[k]` to below `starts[k + 1]`. */
    starts: weightedOffsets(candidates, sizes),
    random,
    /** A UUIDv7 of the history's first day. */
    id: (kind: string, index: number): string => uuid(startOf(0), random(`id of ${kind}`, index)),
    /** When a thing's command of a day is carried out, in milliseconds since 1970. */
    timeOf(kind: string, index: number, day: number, part: DayPart): number {
      const [from, to] = dayPartHours[part];
      return startOf(day) + randomInteger(random(`time of ${kind}`, index, day), from * HOUR_MS, to * HOUR_MS - 1);
    },
    /** The ids that a thing's command of a day mints at a time: UUIDv7, always the same ones. */
    mint(at: number, kind: string, index: number, day: number): IdAndCodeGenerator {
      const draw = random(`minted for ${kind}`, index, day);
      const drawCode = random(`code for ${kind}`, index, day);
      return { uuid: () => uuid(at, draw), code: () => String(randomInteger(drawCode, 0, 999_999)).padStart(6, '0') };
    },
  };
};
export type World = ReturnType<typeof createWorldOutline>;

/** Postings come in the order of their numbers, as many on each weekday. */
export const publishDayOf = ({ postings }: World, posting: number): number => {
  const number = FIRST_POSTING_WEEKDAY + Math.floor((posting * POSTING_WEEKDAYS) / postings.length);
  return 7 * Math.floor(number / 5) + (number % 5);
};

/** The day on which a posting closes, or Infinity. The first one stays open; the second closes with any seed. */
export const closingDayOf = (world: World, posting: number): number => {
  const random = world.random('closing', posting);
  const isClosing = posting === 1 || (posting > 1 && chance(random, 0.25));
  const day = skipWeekend(publishDayOf(world, posting) + randomInteger(random, 28, 45));
  return isClosing && day < DAYS ? day : Infinity;
};
