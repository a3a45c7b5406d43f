import { applicantOf, candidates } from './candidates.ts';
import { DAYS, parts, type Part } from './calendar.ts';
import { layOut, type World, type WorldOptions } from './layout.ts';
import { offices } from './offices.ts';
import { onboarding } from './onboarding.ts';
import { phoneChange } from './phone-change.ts';
import type { PlannedCommand } from './plan-command.ts';
import { closings, postings } from './postings.ts';
import { professionals } from './professionals.ts';
import { saves } from './saves.ts';
import { agendaOf, momentOf, type Agenda } from './source.ts';
import { reorders, specialties } from './specialties.ts';
import { settings } from './users.ts';

/** Commands on different streams, which may be carried out at once; a wave needs all those before it. */
export interface Wave {
  readonly planned: readonly PlannedCommand[];
}

export interface WorldPlan {
  readonly total: number;
  /** Made on demand, in the order of their times. */
  readonly waves: Iterable<Wave>;
}

/** The professional whom the demo shows: the first applicant of the first posting. */
export const demoProfessional = (world: World): number => applicantOf(world, 0, 0);

const sourcesOf = (world: World) => {
  const demo = demoProfessional(world);
  return [
    specialties(world),
    offices(world),
    professionals(world),
    postings(world),
    onboarding(world),
    settings(world, demo),
    reorders(world),
    saves(world, demo),
    candidates(world),
    ...phoneChange(world, demo),
    closings(world),
  ];
};

const MAX_IN_A_WAVE = 2_048;

/** The commands of one part of a day, in the order of their times. */
function* wavesOf(world: World, agendas: readonly Agenda[], day: number, part: Part): Generator<Wave> {
  const due = agendas
    .filter(({ source }) => source.part === part)
    .flatMap(({ source, on }) =>
      Array.from(on(day), (index) => ({ source, index, at: momentOf(world, source, index, day) })),
    )
    .sort((a, b) => a.at - b.at);
  for (let start = 0; start < due.length; start += MAX_IN_A_WAVE) {
    const some = due.slice(start, start + MAX_IN_A_WAVE);
    yield { planned: some.map(({ source, index, at }) => source.commandOn(index, day, at)) };
  }
}

function* allWaves(world: World, agendas: readonly Agenda[]): Generator<Wave> {
  for (let day = 0; day < DAYS; day++) for (const part of parts) yield* wavesOf(world, agendas, day, part);
}

/**
 * Plans a believable history: offices, professionals and postings, and what they do; the same for the same options. A
 * command is made when its wave is asked for, and takes four bytes before that.
 *
 * @throws RangeError when an option is out of its range
 */
export const planWorld = (options: WorldOptions): WorldPlan => {
  const world = layOut(options);
  const agendas = sourcesOf(world).map(agendaOf);
  return {
    total: agendas.reduce((sum, { total }) => sum + total, 0),
    waves: { [Symbol.iterator]: () => allWaves(world, agendas) },
  };
};
