import { reportPage, type ReportProvenance } from '../../../src/history/report/page.ts';
import { reportSections } from '../../../src/history/report/report.ts';
import type { ReportRow } from '../../../src/history/report/report-section.ts';

export const madeFrom: ReportProvenance = {
  from: { at: null, position: '0000000000000001', recordedAt: '2026-03-01T10:00:00.000Z' },
  to: { at: null, position: '0000000000000018', recordedAt: '2026-03-12T10:00:00.000Z' },
  code: '1.2.3',
  profession: undefined,
  state: undefined,
  timeZone: undefined,
  withPersonalData: true,
};

const DAY_MS = 86_400_000;
const dayAfter = (day: string, days: number): string =>
  new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10);

const months = Array.from(
  { length: 30 },
  (_, at) => `${2024 + Math.floor(at / 12)}-${String((at % 12) + 1).padStart(2, '0')}-01`,
);
const weeks = Array.from({ length: 120 }, (_, at) => dayAfter('2024-01-01', at * 7));
const professions = ['hygienist', 'office-manager', 'dental-assistant'];
const MANY = 98_765_432;

const rowsOf = (name: string, keys: readonly string[], row: (at: number) => ReportRow): readonly ReportRow[] =>
  keys.map((key, at) => ({ [name]: key, ...row(at) }));

const classes = (counts: readonly number[]): readonly ReportRow[] =>
  counts.map((applications, at) => ({ class: at, applications, hires: Math.floor(applications / 10), measured: 1 }));

const share = (at: number): number => 0.01 + (at % 90) / 100;

/** Answers with numbers as wide as they get, by what is asked. */
const large: Readonly<Record<string, Readonly<Record<string, readonly ReportRow[]>>>> = {
  'hire-cohorts': {
    all: [{ hires: 9_876_543, time_to_hire: 98.7 }],
    months: rowsOf('month', months, (at) => ({
      hired: share(at),
      time_to_hire: 9.876 * (at + 1),
      open: at * 30_000,
      rows: 9_876_543,
    })),
  },
  'hire-professions': {
    professions: rowsOf('profession', professions, (at) => ({
      hired: share(at),
      hires: 1,
      time_to_hire: 98.765 * (at + 1),
      rows: MANY,
    })),
  },
  funnel: {
    steps: [
      {
        applications_saved_first: 0.0012,
        rows: MANY,
        answered: 87_654_321,
        invited: 45_678_901,
        interviewed: 23_456_789,
        hired: 9_876_543,
      },
    ],
    outcomes: ['hired', 'open', 'rejected', 'closed'].map((outcome) => ({ outcome, rows: 23_456_789 })),
  },
  states: {
    stays: [
      {
        state: 'applied',
        within_10: 0.1,
        within_25: 2,
        within_50: 99,
        within_75: 416,
        within_90: null,
        ended: MANY,
        rows: MANY,
      },
      { state: 'scheduled', within_10: 1, within_25: 1, within_50: 1, within_75: 1, within_90: 1, ended: 1, rows: 1 },
      { state: 'interviewed', within_10: null, within_25: null, within_50: null, ended: 0, rows: MANY },
    ],
  },
  waiting: {
    ages: classes([MANY, 1, 0, 5, 9_999_999, MANY, 12_345_678, 0, 30_000_000, MANY]),
    median: [{ median: 12.3, oldest: 1_234.5 }],
  },
  answers: {
    time: [{ time_to_answer: 71.25, waiting: MANY, rows: 5 * MANY }],
    classes: classes([0, 12_345_678, 45_678_901, 0, 0, 0, 1, 9_999_999, 0, 0]),
  },
  offices: {
    offices: Array.from({ length: 20 }, (_, at) => ({
      office_id: `office-${at}`,
      office_name: at < 2 ? 'Dental Associates of the Greater Metropolitan Area' : `Office ${at}`,
      time_to_answer: at === 0 ? null : 99.9 - at,
      rows: 9_876_543,
      offices: 123_456,
    })),
  },
  interviews: {
    all: [{ interviews: MANY, interviews_moved: 0.1, interviews_cancelled: 0.1 }],
    months: rowsOf('month', months, (at) => ({
      interviews_moved: share(at),
      interviews_cancelled: share(at),
      rows: MANY,
    })),
  },
  rejections: {
    all: [{ rejected_without_interview: 0.5, rows: MANY }],
    professions: rowsOf('profession', professions, (at) => ({ rejected_without_interview: share(at), rows: MANY })),
  },
  weeks: {
    weeks: rowsOf('week', weeks, (at) => ({
      applications: (at * 7_919) % 1_234_567,
      hires: (at * 104_729) % 123_456,
      is_unfinished: at === 0 || at === weeks.length - 1,
    })),
  },
  places: {
    postings: [
      { count: 1_000_000, latitude: 40.7128, longitude: -74.006 },
      { count: 234_000, latitude: 61.2181, longitude: -149.9003 },
      { count: 500, latitude: 21.3069, longitude: -157.8583 },
      { count: 60, latitude: 51.5, longitude: -0.1 },
      { count: 7, latitude: null, longitude: null },
    ],
    applicants: [{ count: 9_999_999, latitude: 34.0522, longitude: -118.2437 }],
  },
  distances: { miles: classes([45_678_901, 0, 0, 1, 0, 0, 53_086_530]) },
};

/** A page with numbers as wide as they get. */
export const largePage = (
  made: Partial<ReportProvenance> = {},
  leftOut: Parameters<typeof reportPage>[2] = [],
): string => {
  const about = { ...madeFrom, ...made };
  const sections = Object.values(large).map((answers, at) => {
    const source = reportSections[at];
    if (!source) throw new Error('There are fewer sources than answers');
    return { content: source.section(answers, about), statements: ['SELECT 1 < 2'] };
  });
  const totals = ['New postings', 'Saved', 'Applications', 'Hires', 'Median answer', 'Median hire'].map(
    (name) => [name, '98,765,432'] as const,
  );
  return reportPage({ content: totals, statements: ['SELECT 1'] }, sections, leftOut, about);
};
