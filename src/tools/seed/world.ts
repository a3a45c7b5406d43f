import { parse, v5, v7 } from 'uuid';
import type { Ids } from '../../ports/ids.ts';
import { cities } from './cities.ts';
import { professions } from './dental.ts';
import { mapSeveral, sfc32, whole, type Random } from './random.ts';
import { spread } from './spread.ts';

/** How many days of history a world has. */
export const DAYS = 90;
/** People and offices come first; postings follow, and leave the last days for applications. */
export const FIRST_POSTING_DAY = 20;
export const LAST_POSTING_DAY = 84;

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** The parts of a day, in order, in hours UTC. An activity may need those of earlier parts, and none of its own part. */
export const hours = {
  records: [12, 14],
  postings: [14, 15],
  activities: [15, 23],
  codeIssued: [23, 23.05],
  codeAnswered: [23.1, 23.15],
  phoneChanged: [23.2, 23.25],
  closings: [23.5, 24],
} as const;
export type Hours = (typeof hours)[keyof typeof hours];

/** The midnight, UTC, that each history ends at: a date of its own, so that a seed makes the same world on every day. */
const END = Date.parse('2026-03-01T00:00:00.000Z');

/** Milliseconds since 1970 of a day's beginning; the history ends with day `DAYS`. */
const startOf = (day: number): number => END + (day - DAYS) * DAY_MS;

/** The UUID namespace in which a world's options become its numbers. */
const NAMESPACE = '2f1c9b0e-6a57-4d0c-8f0b-5d3b1a7e94c2';

/** What numbers are drawn for; each kind draws its own, so that a new one changes no other. */
const kinds = {
  office: 1,
  officeUser: 2,
  professional: 3,
  user: 4,
  resume: 5,
  posting: 6,
  closing: 7,
  candidate: 8,
  review: 9,
  saves: 10,
  onboarding: 11,
  settings: 12,
  specialty: 13,
  reorder: 14,
  phone: 15,
  phoneAnswer: 16,
  phoneUpdate: 17,
  size: 18,
  admin: 19,
  route: 20,
} as const;
export type Kind = keyof typeof kinds;

/**
 * Numbers professionals by profession, `size` of them from the number `from` on, and then by city: those who would apply
 * to the same posting are neighbours.
 */
const numbered = (professionals: number) => {
  let shares = 0;
  const boundary = () => Math.round((professionals * shares) / 100);
  return mapSeveral(professions, (profession) => {
    const from = boundary();
    shares += profession.share;
    return { ...profession, from, size: boundary() - from };
  });
};

export interface WorldOptions {
  /** A whole number from 0 to 4,294,967,295; each makes another world. */
  readonly seed: number;
  /** The number of applications, from which all other sizes follow: a whole number from 1 to 10,000,000. */
  readonly candidates: number;
}

/** The frame of a world: its sizes, and the numbers and ids that everything in it is made of. It holds no people. */
export const layOut = ({ seed, candidates }: WorldOptions) => {
  // Worlds of another seed or size share no id, so that one store can hold several.
  const key = new DataView(parse(v5(`${seed}/${candidates}/${END}`, NAMESPACE)).buffer);
  const [first, second] = [key.getInt32(0), key.getInt32(12)];
  const numbers = (purpose: number, kind: Kind, index: number, occasion = 0) =>
    sfc32(first ^ kinds[kind], second ^ purpose, index, occasion);
  /** The random numbers of one thing on one occasion, independent of other draws. */
  const random = (kind: Kind, index: number, occasion?: number): Random => numbers(0, kind, index, occasion);

  const offices = Math.max(4, Math.ceil(candidates / 150));
  const professionals = Math.max(8, Math.ceil(candidates / 3));
  const postings = Math.max(6, Math.ceil(candidates / 50));
  return {
    cities: Math.min(cities.length, Math.max(2, Math.round(offices / 3))),
    offices,
    professionals,
    professions: numbered(professionals),
    postings,
    /** The candidates of posting k are numbered from `starts[k]` to below `starts[k + 1]`. */
    starts: spread(candidates, postings, professionals, random('size', 0)),
    random,
    /** A UUIDv7 of the history's first day. */
    id: (kind: Kind, index: number): string =>
      v7({ msecs: startOf(0), random: bytes(numbers(3, kind, index)) }),
    /** The ids that a command mints at a time: UUIDv7, always the same ones. */
    mint(at: number, kind: Kind, index: number, occasion: number): Ids {
      const draw = numbers(1, kind, index, occasion);
      const drawCode = numbers(2, kind, index, occasion);
      return {
        uuid: () => v7({ msecs: at, random: bytes(draw) }),
        code: () => String(whole(drawCode, 0, 999_999)).padStart(6, '0'),
      };
    },
  };
};
export type World = ReturnType<typeof layOut>;

/** Overwritten by each call: the UUID that is made of the bytes copies them at once. */
const words = new Uint32Array(4);
const view = new Uint8Array(words.buffer);
const bytes = (random: Random): Uint8Array => {
  for (let index = 0; index < words.length; index++) words[index] = random() * 2 ** 32;
  return view;
};

/** Keeps the random numbers of times apart from those that contents are made of. */
const TIMES = 10_000;

/** When an entity's command of a day is carried out, in milliseconds since 1970. */
export const timeOf = (world: World, kind: Kind, index: number, day: number, [from, to]: Hours): number =>
  startOf(day) + whole(world.random(kind, index, TIMES + day), from * HOUR_MS, to * HOUR_MS - 1);

/** A time for an interview, in RFC 3339: a full or half hour of a day, from 14:00 to 22:00 UTC. */
export const interviewOn = (day: number, random: Random): string =>
  new Date(startOf(day) + whole(random, 28, 44) * (HOUR_MS / 2)).toISOString();
