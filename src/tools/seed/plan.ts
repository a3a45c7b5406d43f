import { notificationsSet, onboardingSteps, postingSaves, proceduresReordered } from './activities.ts';
import { candidateActivities } from './candidates.ts';
import { specialties } from './dental.ts';
import { demoProfessional } from './demo.ts';
import { phoneChange } from './phone-change.ts';
import type { Activity, PlannedCommand } from './plan-command.ts';
import { postingClosed, postingRecorded } from './postings.ts';
import { officeRecorded, professionalRecorded, specialtyRecorded } from './records.ts';
import {
  DAYS,
  hours,
  layOut,
  timeOf,
  type Hours,
  type Kind,
  type World,
  type WorldOptions,
} from './world.ts';

/**
 * What `count` things of one kind do, numbered from 0. Each does at most one thing a day, so that the commands of one
 * part of a day never touch the same stream.
 */
type Source = readonly [
  kind: Kind,
  part: Hours,
  count: number,
  activitiesOf: (world: World, index: number, demo: number) => Activity[],
];

const sourcesOf = (world: World, demo: number): Source[] => {
  const phone = phoneChange(world, demo);
  return [
    ['specialty', hours.records, specialties.length, specialtyRecorded],
    ['office', hours.records, world.offices, officeRecorded],
    ['professional', hours.records, world.professionals, professionalRecorded],
    ['posting', hours.postings, world.postings, postingRecorded],
    ['onboarding', hours.activities, world.professionals, onboardingSteps],
    ['settings', hours.activities, world.professionals, notificationsSet],
    ['reorder', hours.activities, specialties.length, proceduresReordered],
    ['saves', hours.activities, world.professionals, postingSaves],
    ['candidate', hours.activities, world.starts.at(-1) ?? 0, candidateActivities],
    ['phone', hours.codeIssued, 1, phone.codeIssued],
    ['phoneAnswer', hours.codeAnswered, 1, phone.codeAnswered],
    ['phoneUpdate', hours.phoneChanged, 1, phone.phoneChanged],
    ['closing', hours.closings, world.postings, postingClosed],
  ];
};

/** The numbers of the things with an activity on each day: a command itself is made when its day comes. */
const agendaOf = (world: World, demo: number, source: Source) => {
  const [, , count, activitiesOf] = source;
  const starts = new Uint32Array(DAYS + 1);
  for (let index = 0; index < count; index++)
    for (const { day } of activitiesOf(world, index, demo)) starts[day + 1] = (starts[day + 1] ?? 0) + 1;
  for (let day = 0; day < DAYS; day++) starts[day + 1] = (starts[day + 1] ?? 0) + (starts[day] ?? 0);

  const total = starts[DAYS] ?? 0;
  const indexes = new Uint32Array(total);
  const next = starts.slice();
  for (let index = 0; index < count; index++)
    for (const { day } of activitiesOf(world, index, demo)) {
      const place = next[day] ?? 0;
      indexes[place] = index;
      next[day] = place + 1;
    }
  return { source, total, on: (day: number) => indexes.subarray(starts[day], starts[day + 1]) };
};
type Agenda = ReturnType<typeof agendaOf>;

/** At most so many are planned and carried out at once. */
const BATCH_SIZE = 256;

function* batchesOf(world: World, demo: number, agendas: readonly Agenda[]): Generator<PlannedCommand[]> {
  for (let day = 0; day < DAYS; day++)
    for (const part of Object.values(hours)) {
      const due = agendas
        .filter(({ source }) => source[1] === part)
        .flatMap(({ source: [kind, , , activitiesOf], on }) =>
          Array.from(on(day), (index) => ({
            kind,
            index,
            activitiesOf,
            at: timeOf(world, kind, index, day, part),
          })),
        )
        .sort((a, b) => a.at - b.at);
      for (let start = 0; start < due.length; start += BATCH_SIZE)
        yield due.slice(start, start + BATCH_SIZE).flatMap(({ kind, index, activitiesOf, at }) =>
          activitiesOf(world, index, demo)
            .filter((activity) => activity.day === day)
            .map((activity) =>
              activity.plan({
                at: new Date(at).toISOString(),
                ids: world.mint(at, activity.kind ?? kind, index, activity.occasion ?? day),
              }),
            ),
        );
    }
}

export interface WorldPlan {
  /** The number of commands. */
  readonly total: number;
  /** Commands on different streams, in the order of their times; a batch needs all those before it. */
  readonly batches: Iterable<readonly PlannedCommand[]>;
}

/**
 * Plans a believable history: offices, professionals and postings, and what they do; the same for the same options. A
 * command is made with its batch, and takes four bytes before that.
 */
export const planWorld = (options: WorldOptions): WorldPlan => {
  const world = layOut(options);
  const demo = demoProfessional(world);
  const agendas = sourcesOf(world, demo).map((source) => agendaOf(world, demo, source));
  const total = agendas.reduce((sum, agenda) => sum + agenda.total, 0);
  return { total, batches: { [Symbol.iterator]: () => batchesOf(world, demo, agendas) } };
};
