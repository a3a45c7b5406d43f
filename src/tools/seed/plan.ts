import { onboardingActivities, reorderActivities, saveActivities, settingsActivities } from './activities.ts';
import { candidateActivities } from './candidates.ts';
import { specialties } from './dental.ts';
import { demoProfessional } from './demo.ts';
import { phoneChange, seedSecrets } from './phone-change.ts';
import type { Activity, PlannedCommand } from './plan-command.ts';
import { closingActivities, postingActivities } from './postings.ts';
import { officeActivities, professionalActivities, specialtyActivities } from './records.ts';
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

const sourcesOf = (world: World, demo: number) => {
  /**
   * What `count` things of one kind do, numbered from 0. Each does at most one thing a day, so that the commands of one
   * part of a day never touch the same stream.
   */
  const source = (
    kind: Kind,
    part: Hours,
    count: number,
    activitiesOf: (world: World, index: number, demo: number) => Activity[],
  ) => ({ kind, part, count, activitiesOf: (index: number) => activitiesOf(world, index, demo) });
  const phone = phoneChange(world, demo);
  return [
    source('specialty', hours.records, specialties.length, specialtyActivities),
    source('office', hours.records, world.offices, officeActivities),
    source('professional', hours.records, world.professionals, professionalActivities),
    source('posting', hours.postings, world.postings, postingActivities),
    source('onboarding', hours.activities, world.professionals, onboardingActivities),
    source('settings', hours.activities, world.professionals, settingsActivities),
    source('reorder', hours.activities, specialties.length, reorderActivities),
    source('saves', hours.activities, world.professionals, saveActivities),
    source('candidate', hours.activities, world.starts.at(-1) ?? 0, candidateActivities),
    source('phone', hours.codeIssued, 1, phone.codeIssued),
    source('phoneAnswer', hours.codeAnswered, 1, phone.codeAnswered),
    source('phoneUpdate', hours.phoneChanged, 1, phone.phoneChanged),
    source('closing', hours.closings, world.postings, closingActivities),
  ];
};

/** The numbers of the things with an activity on each day: a command itself is made when its day comes. */
const agendaOf = (source: ReturnType<typeof sourcesOf>[number]) => {
  const { count, activitiesOf } = source;
  // Counting sort: first where each day ends, then, from its last number to its first, where it begins.
  const starts = new Uint32Array(DAYS + 1);
  for (let index = 0; index < count; index++)
    for (const { day } of activitiesOf(index)) starts[day] = (starts[day] ?? 0) + 1;
  for (let day = 1; day <= DAYS; day++) starts[day] = (starts[day] ?? 0) + (starts[day - 1] ?? 0);
  const indexes = new Uint32Array(starts[DAYS] ?? 0);
  for (let index = count - 1; index >= 0; index--)
    for (const { day } of activitiesOf(index)) indexes[(starts[day] = (starts[day] ?? 0) - 1)] = index;
  const on = (day: number) => indexes.subarray(starts[day], starts[day + 1]);
  return { ...source, total: indexes.length, on };
};
type Agenda = ReturnType<typeof agendaOf>;

/** Of all commands. Codes are not delivered. */
const ports = {
  codes: () => Promise.resolve(),
  secrets: seedSecrets,
  phoneChangeNotice: () => Promise.resolve(),
  mfaPhoneUpdate: true,
  legacyPhoneUpdate: true,
  smsCountries: [],
};

/** At most so many are planned and carried out at once. */
const BATCH_SIZE = 256;

function* batchesOf(world: World, agendas: readonly Agenda[]): Generator<PlannedCommand[]> {
  for (let day = 0; day < DAYS; day++)
    for (const part of Object.values(hours)) {
      const due = agendas
        .filter((agenda) => agenda.part === part)
        .flatMap(({ kind, on, activitiesOf }) =>
          Array.from(on(day), (index) => {
            const at = timeOf(world, kind, index, day, part);
            return { kind, index, at, activitiesOf };
          }),
        )
        .sort((a, b) => a.at - b.at);
      for (let start = 0; start < due.length; start += BATCH_SIZE)
        yield due.slice(start, start + BATCH_SIZE).flatMap(({ kind, index, at, activitiesOf }) =>
          activitiesOf(index)
            .filter((activity) => activity.day === day)
            .map(({ plan, kind: own = kind, occasion = day }) =>
              plan({ ...ports, clock: () => new Date(at), ids: world.mint(at, own, index, occasion) }),
            ),
        );
    }
}

/**
 * Plans a believable history: offices, professionals and postings, and what they do; the same for the same options. A
 * command is made with its batch, and takes four bytes before that.
 */
export const planWorld = (options: WorldOptions) => {
  const world = layOut(options);
  const agendas = sourcesOf(world, demoProfessional(world)).map(agendaOf);
  const total = agendas.reduce((sum, agenda) => sum + agenda.total, 0);
  /** Commands on different streams, in the order of their times; a batch needs all those before it. */
  const batches: Iterable<readonly PlannedCommand[]> = {
    [Symbol.iterator]: () => batchesOf(world, agendas),
  };
  return { total, batches };
};
