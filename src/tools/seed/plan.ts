import { randomIdAndCodeGenerator } from '../../ports/id-and-code-generator.ts';
import * as activities from './activities.ts';
import type { Activity, PlannedCommand } from './activity.ts';
import { candidateActivities } from './candidates.ts';
import { dental } from './lists.ts';
import { sum } from './random.ts';
import { DAYS, dayPartHours, createWorldOutline, type DayPart, type World, type WorldOptions } from './world.ts';

/**
 * Which things do something on each day, by their numbers: what they do is found again when that day comes. Each does
 * at most one thing a day, so that the commands of one part of a day never touch the same stream.
 */
const agendasOf = (world: World) => {
  const agenda = (
    kind: string,
    part: DayPart,
    count: number,
    activitiesOf: (world: World, index: number) => Activity[],
  ) => {
    const days = Array.from({ length: DAYS }, (): number[] => []);
    for (let index = 0; index < count; index++)
      for (const { day } of activitiesOf(world, index)) days[day]?.push(index);
    return { kind, part, days, activitiesOf };
  };
  const phone = (index: number) => () => activities.phoneActivities(world).slice(index, index + 1);
  const { professionals, postings, offices, starts } = world;
  const specialties = dental.specialties.length;
  return [
    agenda('specialty', 'records', specialties, activities.specialtyActivities),
    agenda('office', 'records', offices.at(-1) ?? 0, activities.officeActivities),
    agenda('professional', 'records', professionals, activities.professionalActivities),
    agenda('posting', 'postings', postings.length, activities.postingActivities),
    agenda('onboarding', 'activities', professionals, activities.onboardingActivities),
    agenda('settings', 'activities', professionals, activities.settingsActivities),
    agenda('reorder', 'activities', specialties, activities.procedureReorderActivities),
    agenda('saves', 'activities', professionals, activities.savedPostingActivities),
    agenda('candidate', 'activities', starts.at(-1) ?? 0, candidateActivities),
    agenda('phone', 'codeIssued', 1, phone(0)),
    agenda('phone answer', 'codeAnswered', 1, phone(1)),
    agenda('phone change', 'phoneChanged', 1, phone(2)),
    agenda('closing', 'closings', postings.length, activities.closingActivities),
  ];
};

/** Of all commands, each of which has a time and ids of its own. Codes are not delivered. */
export const seedPorts = {
  clock: () => new Date(),
  ids: randomIdAndCodeGenerator,
  codes: () => Promise.resolve(),
  secrets: activities.seedSecrets,
  phoneChangeNotice: () => Promise.resolve(),
  mfaPhoneUpdate: true,
  legacyPhoneUpdate: true,
  smsCountries: [],
};

/** At most so many are planned and carried out at once. */
const BATCH_SIZE = 256;

/** Commands on different streams, in the order of their times; a batch needs all those before it. */
function* batchesOf(world: World, agendas: ReturnType<typeof agendasOf>): Generator<readonly PlannedCommand[]> {
  for (let day = 0; day < DAYS; day++)
    for (const part of Object.keys(dayPartHours)) {
      const due = agendas
        .filter((agenda) => agenda.part === part)
        .flatMap(({ kind, part, days, activitiesOf }) =>
          (days[day] ?? []).map((index) => {
            const at = world.timeOf(kind, index, day, part);
            const plan = () => {
              const ports = { ...seedPorts, clock: () => new Date(at), ids: world.mint(at, kind, index, day) };
              const today = activitiesOf(world, index).filter((activity) => activity.day === day);
              return today.map((activity) => activity.plan(ports));
            };
            return { at, plan };
          }),
        )
        .sort((a, b) => a.at - b.at);
      for (let start = 0; start < due.length; start += BATCH_SIZE)
        yield due.slice(start, start + BATCH_SIZE).flatMap(({ plan }) => plan());
    }
}

/**
 * Plans a believable history: offices, professionals and postings, and what they do; the same for the same options. A
 * command is made with its batch, and takes a few bytes before that.
 */
export const planWorldCommands = (options: WorldOptions) => {
  const world = createWorldOutline(options);
  const agendas = agendasOf(world);
  const total = sum(agendas.flatMap(({ days }) => days.map(({ length }) => length)));
  return { total, batches: batchesOf(world, agendas) };
};
