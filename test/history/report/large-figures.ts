import type { Figures } from '../../../src/history/report/figures.ts';
import type { MadeFrom } from '../../../src/history/report/page.ts';

const DAY_MS = 86_400_000;

/** Figures with numbers as wide as they get. */
export const largeFigures: Figures = {
  postings: 1_234_567,
  saves: 12_345_678,
  applications: 98_765_432,
  hires: 9_876_543,
  outcomes: { hired: 9_876_543, rejected: 12_345_678, closed: 23_456_789, open: 53_086_422 },
  funnel: [
    { step: 'applied', all: 98_765_432, savedFirst: 8_765_432 },
    { step: 'scheduled', all: 45_678_901, savedFirst: 4_567_890 },
    { step: 'interviewed', all: 23_456_789, savedFirst: 2_345_678 },
    { step: 'hired', all: 9_876_543, savedFirst: 0 },
  ],
  states: [
    {
      state: 'applied',
      hours: new Map([1, 30, 99, 2_000, 9_999].map((hours) => [hours, 9_876_543])),
      lasting: 53_086_422,
    },
    { state: 'scheduled', hours: new Map([[0, 45_678_901]]), lasting: 0 },
    { state: 'interviewed', hours: new Map(), lasting: 23_456_789 },
  ],
  weeks: Array.from({ length: 120 }, (_, week) => ({
    monday: new Date(Date.parse('2024-01-01') + week * 7 * DAY_MS).toISOString().slice(0, 10),
    applications: (week * 7_919) % 1_234_567,
    hires: (week * 104_729) % 123_456,
  })),
  answers: {
    hours: new Map([[71, 45_678_901]]),
    applications: [0, 12_345_678, 45_678_901, 0, 0, 0, 1, 9_999_999],
    offices: [0, 123_456, 0, 0, 0, 0, 0, 1],
    waiting: 53_086_422,
    closed: 23_456_789,
  },
  postingPlaces: [
    { count: 1_000_000, latitude: 40.7128, longitude: -74.006 },
    { count: 234_000, latitude: 61.2181, longitude: -149.9003 },
    { count: 500, latitude: 21.3069, longitude: -157.8583 },
    { count: 60, latitude: 51.5, longitude: -0.1 },
  ],
  postingsWithoutPlace: 7,
  personal: {
    applicants: [{ count: 9_999_999, latitude: 34.0522, longitude: -118.2437 }],
    withoutPlace: 3,
    distances: {
      applications: [45_678_901, 0, 0, 1, 0, 0, 53_086_530],
      hires: [9_876_543, 0, 0, 0, 0, 0, 0],
      measured: 45_678_901,
      unknown: 0,
    },
  },
};

export const madeFrom: MadeFrom = {
  from: { at: null, position: '0000000000000001', recordedAt: '2026-03-01T10:00:00.000Z' },
  to: { at: null, position: '0000000000000018', recordedAt: '2026-03-12T10:00:00.000Z' },
  code: '1.2.3',
  profession: undefined,
  state: undefined,
  withPersonalData: true,
};
