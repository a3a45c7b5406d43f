import { parse, v5, v7 } from 'uuid';
import type { Ids } from '../../ports/ids.ts';
import { DAYS, DAY_MS } from './calendar.ts';
import { cities } from './cities.ts';
import { sfc32, whole, type Random } from './random.ts';
import { spread } from './spread.ts';

export interface WorldOptions {
  /** A whole number from 0 to 4,294,967,295; each makes another world. */
  readonly seed: number;
  /** The number of applications, from which all other sizes follow. At least 1. */
  readonly candidates: number;
  /** RFC 3339. The history ends at the midnight, UTC, that this day began with. */
  readonly now?: string | undefined;
}

/** A date of its own, so that a seed makes the same world on every day. */
export const DEFAULT_NOW = '2026-03-01T00:00:00.000Z';

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

/** The frame of a world: its sizes, and the numbers and ids that everything in it is made of. It holds no people. */
export interface World {
  readonly now: number;
  readonly cities: number;
  readonly offices: number;
  readonly professionals: number;
  readonly postings: number;
  /** The candidates of posting k are numbered from `starts[k]` to below `starts[k + 1]`. */
  readonly starts: Uint32Array;
  /** The random numbers of one thing on one occasion, independent of other draws. */
  readonly random: (kind: Kind, index: number, occasion?: number) => Random;
  /** A UUIDv7 of the history's first day. */
  readonly id: (kind: Kind, index: number) => string;
  /** The ids that a command mints at a time: UUIDv7, always the same ones. */
  readonly mint: (at: number, kind: Kind, index: number, occasion: number) => Ids;
}

const inRange = (name: string, value: number, least: number, most: number): number => {
  if (Number.isInteger(value) && value >= least && value <= most) return value;
  throw new RangeError(`${name} must be a whole number from ${least} to ${most}`);
};

const MAX_CANDIDATES = 10_000_000;

/** Lays a world out. @throws RangeError when an option is out of its range */
export const layOut = (options: WorldOptions): World => {
  const seed = inRange('seed', options.seed, 0, 2 ** 32 - 1);
  const candidates = inRange('candidates', options.candidates, 1, MAX_CANDIDATES);
  const now = Math.floor(Date.parse(options.now ?? DEFAULT_NOW) / DAY_MS) * DAY_MS;
  if (Number.isNaN(now)) throw new RangeError('now must be an RFC 3339 date-time');

  // Worlds of another seed, size or date share no id, so that one store can hold several.
  const key = new DataView(parse(v5(`${seed}/${candidates}/${now}`, NAMESPACE)).buffer);
  const [first, second] = [key.getInt32(0), key.getInt32(12)];
  const numbers = (purpose: number, kind: Kind, index: number, occasion = 0) =>
    sfc32(first ^ kinds[kind], second ^ purpose, index, occasion);
  const random: World['random'] = (kind, index, occasion) => numbers(0, kind, index, occasion);

  const offices = Math.max(4, Math.ceil(candidates / 150));
  const professionals = Math.max(8, Math.ceil(candidates / 3));
  const postings = Math.max(6, Math.ceil(candidates / 50));
  return {
    now,
    cities: Math.min(cities.length, Math.max(2, Math.round(offices / 3))),
    offices,
    professionals,
    postings,
    starts: spread(candidates, postings, professionals, random('size', 0)),
    random,
    id: (kind, index) => v7({ msecs: now - DAYS * DAY_MS, random: bytes(numbers(3, kind, index)) }),
    mint: (at, kind, index, occasion) => {
      const draw = numbers(1, kind, index, occasion);
      const drawCode = numbers(2, kind, index, occasion);
      return {
        uuid: () => v7({ msecs: at, random: bytes(draw) }),
        code: () => String(whole(drawCode, 0, 999_999)).padStart(6, '0'),
      };
    },
  };
};

/** Overwritten by each call: the UUID that is made of the bytes copies them at once. */
const words = new Uint32Array(4);
const view = new Uint8Array(words.buffer);
const bytes = (random: Random): Uint8Array => {
  for (let index = 0; index < words.length; index++) words[index] = random() * 2 ** 32;
  return view;
};
