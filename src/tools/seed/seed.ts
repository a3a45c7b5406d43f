import type { Command } from '../../command-handling/command.ts';
import type { HandleCommand } from '../../command-handling/handle-command.ts';
import { whenAllSettled } from '../../lib/when-all-settled.ts';
import type { PlannedCommand } from './plan-command.ts';
import { planWorld } from './plan.ts';
import type { WorldOptions } from './world.ts';

export interface SeedProgress {
  /** Commands carried out so far, of `total`. */
  readonly commands: number;
  readonly total: number;
}

export interface Seeding {
  readonly handle: HandleCommand;
  readonly options: WorldOptions;
  readonly onProgress?: (progress: SeedProgress) => void;
}

const alreadyDone = new Error('The log holds what the command brings about');

/**
 * Carries out one command of a plan, unless what it brings about is there already.
 *
 * @throws Error that names the command and its time; the cause says why
 */
export const carryOut = async (
  handle: HandleCommand,
  { command, envelope, ports, isDone }: PlannedCommand,
): Promise<void> => {
  const unlessDone: Command = isDone
    ? {
        ...command,
        async prepare(request, context) {
          if (await isDone(context)) throw alreadyDone;
          return command.prepare(request, context);
        },
      }
    : command;
  try {
    await handle(unlessDone, envelope, ports);
  } catch (error) {
    if (error === alreadyDone) return;
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`The seed's ${command.name} of ${ports.clock().toISOString()} failed: ${reason}`, {
      cause: error,
    });
  }
};

/**
 * Makes a world through the service's own commands, the same for the same options. Where it is there already, whole or
 * in part, only what is missing is appended.
 *
 * @returns the number of commands carried out
 * @throws Error for the first command that failed; nothing is under way any more then
 */
export const seedWorld = async ({ handle, options, onProgress }: Seeding): Promise<number> => {
  let commands = 0;
  const { total, batches } = planWorld(options);
  // Batches begin and end together, so that the order of the whole event log comes out the same.
  for (const batch of batches) {
    await whenAllSettled(batch.map((planned) => carryOut(handle, planned)));
    commands += batch.length;
    onProgress?.({ commands, total });
  }
  return commands;
};
