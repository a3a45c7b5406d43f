import { randomIds } from '../../ports/ids.ts';
import {
  onboardingActivities,
  phoneActivities,
  reorderActivities,
  saveActivities,
  seedSecrets,
  settingsActivities,
} from './activities.ts';
import type { Activity, PlannedCommand } from './activity.ts';
import { candidateActivities } from './candidates.ts';
import { demoProfessional } from './demo.ts';
import { dental } from './lists.ts';
import {
  closingActivities,
  officeActivities,
  postingActivities,
  professionalActivities,
  specialtyActivities,
} from './records.ts';
import { DAYS, hours, layOut, type Part, type World, type WorldOptions } from './world.ts';

type ActivitiesOf = (world: World, index: number, demo: number) => Activity[];

/**
 * Which things do something on each day, by their numbers: what they do is found again when that day comes. Each does at
 * most one thing a day, so that the commands of one part of a day never touch the same stream.
 */
const agendasOf = (world: World) => {
  const demo = demoProfessional(world);
  const agenda = (kind: string, part: Part, count: number, activitiesOf: ActivitiesOf) => {
    const days = Array.from({ length: DAYS }, (): number[] => []);
    for (let index = 0; index < count; index++)
      for (const { day } of activitiesOf(world, index, demo)) days[day]?.push(index);
    return { kind, part, days, activitiesOf: (index: number) => activitiesOf(world, index, demo) };
  };
  const { professionals, postings, offices, starts } = world;
  const phone = (index: number) => () => phoneActivities(world, demo).slice(index, index + 1);
  return [
    agenda('specialty', 'records', dental.specialties.length, specialtyActivities),
    agenda('office', 'records', offices.at(-1) ?? 0, officeActivities),
    agenda('professional', 'records', professionals, professionalActivities),
    agenda('posting', 'postings', postings.length, postingActivities),
    agenda('onboarding', 'activities', professionals, onboardingActivities),
    agenda('settings', 'activities', professionals, settingsActivities),
    agenda('reorder', 'activities', dental.specialties.length, reorderActivities),
    agenda('saves', 'activities', professionals, saveActivities),
    agenda('candidate', 'activities', starts.at(-1) ?? 0, candidateActivities),
    agenda('phone', 'codeIssued', 1, phone(0)),
    agenda('phone answer', 'codeAnswered', 1, phone(1)),
    agenda('phone change', 'phoneChanged', 1, phone(2)),
    agenda('closing', 'closings', postings.length, closingActivities),
  ];
};

/** Of all commands, each of which has a time and ids of its own. Codes are not delivered. */
export const seedPorts = {
  clock: () => new Date(),
  ids: randomIds,
  codes: () => Promise.resolve(),
  secrets: seedSecrets,
  phoneChangeNotice: () => Promise.resolve(),
  mfaPhoneUpdate: true,
  legacyPhoneUpdate: true,
  smsCountries: [],
};

/** At most so many are planned and carried out at once. */
const BATCH_SIZE = 256;

function* batchesOf(
  world: World,
  agendas: ReturnType<typeof agendasOf>,
): Generator<readonly PlannedCommand[]> {
  for (let day = 0; day < DAYS; day++)
    for (const part of Object.keys(hours)) {
      const due = agendas
        .filter((agenda) => agenda.part === part)
        .flatMap(({ kind, part, days, activitiesOf }) =>
          (days[day] ?? []).map((index) => {
            const at = world.timeOf(kind, index, day, part);
            return { kind, index, at, activitiesOf };
          }),
        )
        .sort((a, b) => a.at - b.at);
      for (let start = 0; start < due.length; start += BATCH_SIZE)
        yield due.slice(start, start + BATCH_SIZE).flatMap(({ kind, index, at, activitiesOf }) =>
          activitiesOf(index)
            .filter((activity) => activity.day === day)
            .map(({ plan }) =>
              plan({ ...seedPorts, clock: () => new Date(at), ids: world.mint(at, kind, index, day) }),
            ),
        );
    }
}

/**
 * Plans a believable history: offices, professionals and postings, and what they do; the same for the same options. A
 * command is made with its batch, and takes a few bytes before that.
 */
export const planWorld = (options: WorldOptions) => {
  const world = layOut(options);
  const agendas = agendasOf(world);
  const total = agendas.reduce((sum, { days }) => sum + days.reduce((all, { length }) => all + length, 0), 0);
  /** Commands on different streams, in the order of their times; a batch needs all those before it. */
  const batches: Iterable<readonly PlannedCommand[]> = {
    [Symbol.iterator]: () => batchesOf(world, agendas),
  };
  return { total, batches };
};
