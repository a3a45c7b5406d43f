import type { Command } from '../../command-handling/command.ts';
import type { CommandReply, HandleCommand } from '../../command-handling/handle-command.ts';
import type { Ports } from '../../ports/index.ts';
import type { WorldOptions } from './layout.ts';
import type { Done, PlannedCommand } from './plan-command.ts';
import { seedSecrets } from './phone-change.ts';
import { planWorld } from './world.ts';

export interface SeedProgress {
  /** Commands carried out so far, of `total`. */
  readonly commands: number;
  readonly total: number;
}

export interface Seeding {
  readonly handle: HandleCommand;
  readonly options: WorldOptions;
  /** Commands under way at once. */
  readonly concurrency?: number;
  readonly onProgress?: (progress: SeedProgress) => void;
}

export interface Seeded {
  readonly commands: number;
}

/** The ports of a planned command: its time, its ids, and codes that are not delivered. */
export const portsOf = ({ at, ids }: PlannedCommand): Ports => ({
  clock: () => new Date(at),
  ids,
  codes: () => Promise.resolve(),
  secrets: seedSecrets,
  phoneChangeNotice: () => Promise.resolve(),
  mfaPhoneUpdate: true,
  legacyPhoneUpdate: true,
  smsCountries: [],
});

/** The command, which appends nothing where its effect is there already. */
const unlessDone = (command: Command, done: Done | undefined): Command => {
  if (!done) return command;
  let isDone = false;
  return {
    ...command,
    async prepare(request, context) {
      isDone = await done.isDone(context);
      return isDone ? { id: done.id } : command.prepare(request, context);
    },
    decide: (state, input) => (isDone ? [] : command.decide(state, input)),
    outcome: (state, input, isChanged) => (isDone ? null : command.outcome(state, input, isChanged)),
    afterwards: () => Promise.resolve(),
    respond: (result, ports) => (isDone ? { status: 204 } : command.respond(result, ports)),
  };
};

/** Carries out one command of a plan. @throws Error that names the command and its time; the cause says why */
export const carryOut = async (handle: HandleCommand, planned: PlannedCommand): Promise<CommandReply> => {
  const { command, envelope, at, done } = planned;
  try {
    return await handle(unlessDone(command, done), envelope, portsOf(planned));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`The seed's ${command.name} of ${at} failed: ${reason}`, { cause: error });
  }
};

/**
 * Makes a world through the service's own commands, the same for the same options. Where it is there already, whole or
 * in part, only what is missing is appended.
 *
 * @throws RangeError when an option, or the concurrency, is out of its range
 * @throws Error for the first command that failed; nothing is under way any more then
 */
export const seedWorld = async ({
  handle,
  options,
  concurrency = 256,
  onProgress,
}: Seeding): Promise<Seeded> => {
  if (!Number.isInteger(concurrency) || concurrency < 1)
    throw new RangeError('concurrency must be a whole number from 1 on');
  let commands = 0;
  const { total, waves } = planWorld(options);
  for (const { planned } of waves) {
    // Rounds begin and end together, so that the order of the whole event log comes out the same.
    for (let first = 0; first < planned.length; first += concurrency) {
      const round = planned.slice(first, first + concurrency);
      const outcomes = await Promise.allSettled(round.map((one) => carryOut(handle, one)));
      for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
      commands += round.length;
      onProgress?.({ commands, total });
    }
  }
  return { commands };
};
