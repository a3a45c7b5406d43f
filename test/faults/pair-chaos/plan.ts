import { chanceOf } from '../../support/seeded.ts';
import { drawCrowd, isLarge, type CrowdPlan } from './crowd-plan.ts';
import { drawFaults, drawKillAtCommit, type Fault } from './fault-plan.ts';
import { drawPoison, type PoisonPlan } from './poison-plan.ts';
import type { PoisonKind } from './settings.ts';
import { drawWork, type WorkPlan } from './work-plan.ts';
import { worldOf, type World } from './world.ts';

/** Everything that is decided before a run. */
export interface Plan {
  readonly seed: number;
  readonly world: World;
  readonly work: WorkPlan;
  readonly poison: PoisonPlan;
  readonly faults: readonly Fault[];
  readonly crowd: CrowdPlan;
  /** Whether the CLI, and not an instance, compares the active builds with a rebuild. */
  readonly isVerifiedByCli: boolean;
}

export const planOf = (seed: number, kinds: readonly PoisonKind[]): Plan => {
  // One generator per subject, so that a change to one subject's draws leaves the others as they are.
  const chance = (subject: number) => chanceOf(seed * 16 + subject);
  const world = worldOf(seed, chance(0));
  const { work, poison } = drawPoison(world, drawWork(world, chance(1)), kinds, chance(2));
  const crowd = drawCrowd(chance(4));
  return {
    seed,
    world,
    work,
    poison,
    faults: [...drawFaults(chance(3)), ...(isLarge(crowd) ? [drawKillAtCommit(chance(6))] : [])],
    crowd,
    isVerifiedByCli: chance(5).isTrue(0.05),
  };
};
