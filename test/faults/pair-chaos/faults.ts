import { setTimeout as delay } from 'node:timers/promises';
import { until } from './until.ts';
import { allSettled } from './all-settled.ts';
import { leaseHolder } from './admin.ts';
import type { Crowd } from './crowd.ts';
import type { Fault, FaultKind, FaultOf, Moment, Target } from './fault-plan.ts';
import { leaveGap } from './gap.ts';
import type { Instance } from './instance.ts';
import type { Ledger } from './ledger.ts';
import { isMoment } from './moments.ts';
import type { Stage } from './stage.ts';
import type { Story } from './story.ts';
import type { Work } from './work.ts';

/** What faults act on. */
export interface Scene {
  readonly stage: Stage;
  readonly story: Story;
  readonly work: Work;
  readonly crowd: Crowd;
  readonly ledger: Ledger;
  readonly run: string;
  /** Instances whose connections stay cut when the faults are over. */
  readonly lasting: Set<Instance>;
}

const COMES_WITHIN_MS = 3_000;
const TAKEN_OVER_WITHIN_MS = 9_000;

/**
 * The lease holder of a projection, as far as any instance knows it; otherwise any instance. Prefers an instance
 * without a fault under way, since faults one after another would make a run long.
 */
const resolve = async (target: Target, { stage, lasting }: Scene): Promise<Instance> => {
  const free = stage.instances.filter((each) => !lasting.has(each));
  const meant = await meantBy(target, free);
  return meant.isBusy() ? (free.find((each) => !each.isBusy()) ?? meant) : meant;
};

const meantBy = async (target: Target, instances: readonly Instance[]): Promise<Instance> => {
  const any = instances.find(({ number }) => number === target) ?? instances[0];
  if (!any) throw new Error('All instances are cut off for the rest');
  if (typeof target === 'number') return any;
  for (const each of instances) {
    if (each.isPaused()) continue;
    const pid = await leaseHolder(each, target);
    const holder = instances.find((one) => one.running()?.pid === pid);
    if (holder) return holder;
  }
  return any;
};

/** Holds up what an instance sends to MongoDB, from a moment on; false when that moment does not come. */
const holdAt = async ({ links }: Instance, moment: Exclude<Moment, 'now'>): Promise<boolean> => {
  const held = links.mongo.holdFrom(isMoment(moment)).then(() => true);
  return Promise.race([held, delay(COMES_WITHIN_MS, false)]);
};

/** Waits until another instance has the lease of a projection; false when none takes it in time. */
const isTakenOver = (from: Instance, projection: string, instances: readonly Instance[]): Promise<boolean> => {
  const others = instances.filter((each) => each !== from);
  const isTaken = async () => {
    for (const other of others) {
      if (other.isPaused()) continue;
      const pid = await leaseHolder(other, projection);
      if (pid !== undefined && others.some((each) => each.running()?.pid === pid)) return true;
    }
    return false;
  };
  return until('another instance has the lease', isTaken, TAKEN_OVER_WITHIN_MS).then(
    () => true,
    () => false,
  );
};

type Perform<Kind extends FaultKind> = (fault: FaultOf<Kind>, scene: Scene) => Promise<void>;

const kill: Perform<'kill'> = async ({ target, moment, awayMs }, scene) => {
  const { story, lasting } = scene;
  const victim = await resolve(target, scene);
  await victim.inTurn(async () => {
    if (lasting.has(victim)) return;
    const isMet = moment === 'now' || (await holdAt(victim, moment));
    story.tell(
      `instance ${victim.number} is killed${moment === 'now' ? '' : isMet ? ` at its ${moment}` : ', at nothing'}`,
    );
    await victim.kill();
    victim.links.mongo.release();
    await delay(awayMs);
    await victim.start();
    story.tell(`instance ${victim.number} runs again`);
  });
};

const pause: Perform<'pause'> = async ({ target, forMs }, scene) => {
  const { story } = scene;
  const victim = await resolve(target, scene);
  await victim.inTurn(async () => {
    story.tell(`instance ${victim.number} is paused for ${forMs} ms`);
    victim.pause();
    await delay(forMs);
    victim.wake();
    story.tell(`instance ${victim.number} wakes`);
  });
};

const cut: Perform<'cut'> = async ({ target, server, how, forMs }, scene) => {
  const { story, lasting } = scene;
  const victim = await resolve(target, scene);
  if (forMs === 'rest') lasting.add(victim);
  await victim.inTurn(async () => {
    const link = victim.links[server];
    story.tell(`instance ${victim.number} has no way to ${server} (${how}), for ${forMs}`);
    if (how === 'refused') link.shut();
    else link.stall();
    if (forMs === 'rest') return;
    await delay(forMs);
    link.release();
    story.tell(`instance ${victim.number} has its way to ${server} again`);
  });
};

const late: Perform<'late'> = async (fault, scene) => {
  const { stage, story, crowd, lasting } = scene;
  const { target, moment, burst, afterTakeOverMs } = fault;
  const projection = typeof target === 'string' ? target : 'posting-candidates';
  const victim = await resolve(projection, scene);
  await victim.inTurn(async () => {
    if (lasting.has(victim)) return;
    const isMet = await holdAt(victim, moment);
    if (isMet) {
      story.tell(`what instance ${victim.number} sends to MongoDB is held up at its ${moment}`);
      await crowd.grow(burst);
      const isTaken = await isTakenOver(victim, projection, stage.instances);
      story.tell(isTaken ? 'another instance has taken over' : 'no other instance has taken over');
      await delay(afterTakeOverMs);
    }
    victim.links.mongo.release();
    story.tell(`instance ${victim.number}: what was held up arrives${isMet ? '' : ': nothing was'}`);
  });
};

const serverKill: Perform<'server kill'> = async ({ server, awayMs }, { stage: { pair }, story }) => {
  const isKilled = await pair.kill(server);
  story.tell(isKilled ? `${server} is killed` : `${server} cannot be killed, or is away already`);
  if (!isKilled) return;
  await delay(awayMs);
  await pair.restart(server);
  story.tell(`${server} runs again`);
};

const perform = async (fault: Fault, scene: Scene): Promise<void> => {
  const { stage, story } = scene;
  await delay(fault.atMs);
  switch (fault.kind) {
    case 'kill':
      return kill(fault, scene);
    case 'pause':
      return pause(fault, scene);
    case 'cut':
      return cut(fault, scene);
    case 'late':
      return late(fault, scene);
    case 'server kill':
      return serverKill(fault, scene);
    case 'scavenge':
      story.tell((await stage.log.scavenge()) ? 'a scavenge is over' : 'a scavenge has not come to its end');
      return;
    case 'foreign':
      await stage.log.foreign(fault.events, fault);
      story.tell(`${fault.events} events of another service are written`);
      return;
    case 'gap':
      return leaveGap(fault.events, scene);
  }
};

/** Resolves when all faults of a run are over, except those that last. */
export const performFaults = async (faults: readonly Fault[], scene: Scene): Promise<void> => {
  await allSettled(faults.map((fault) => perform(fault, scene)));
};

/** Kills the lease holder of a projection in the middle of what it stores next. */
export const killHolder = (projection: string, moment: Moment, awayMs: number, scene: Scene): Promise<void> =>
  kill({ kind: 'kill', atMs: 0, target: projection, moment, awayMs }, scene);
