import { allSettled } from './all-settled.ts';
import { untilCaughtUp, untilReady } from './caught-up.ts';
import { expectCounts } from './check-counts.ts';
import { unpark } from './check-parked.ts';
import { expectAsRebuilt } from './check-rebuild.ts';
import { createCrowd } from './crowd.ts';
import { performFaults, type Scene } from './faults.ts';
import type { Instance } from './instance.ts';
import { createLedger, expectLogged } from './ledger.ts';
import type { Plan } from './plan.ts';
import { performPoison, type PoisonRecord } from './poison.ts';
import { seal } from './seal.ts';
import type { Stage } from './stage.ts';
import { createStory, type Story } from './story.ts';
import { startWork } from './work.ts';

/** Time for a lease to run out and be taken over, and for the backlog to be applied. */
const WITHOUT_THE_OTHERS_MS = 30_000;
const HEALED_WITHIN_MS = 60_000;
/** For each candidate of a crowd: every revision of the posting renders it again. */
const CROWD_MS = 15;

/** The story of a run, and its failure, if any. */
export interface Outcome {
  readonly story: Story;
  readonly failure: Error | undefined;
}

const errorsIn = (instances: readonly Instance[]): string => {
  const counts = new Map<string, number>();
  for (const line of instances.flatMap(({ lines }) => lines())) {
    if (!line.startsWith('{"level":50')) continue;
    const message = /"err":\{"type":"\w+","message":"((?:[^"\\]|\\.){1,160})/.exec(line)?.[1] ?? line.slice(0, 160);
    const kind = message.replace(/ \(\d{4}-.*/, '').replace(/\d{20}/g, '*');
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  return [...counts].map(([message, count]) => `  ${count} times: ${message}`).join('\n');
};

/** Names the step in which a check fails. */
const atStep = async <T>(step: string, act: () => Promise<T>): Promise<T> => {
  try {
    return await act();
  } catch (error) {
    throw new Error(`${step}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
};

const play = async (plan: Plan, stage: Stage, story: Story): Promise<void> => {
  const { world, poison } = plan;
  const { instances } = stage;
  const ledger = createLedger();
  const crowd = createCrowd(stage.log, world.run, world.offices[0] ?? '');

  const more = () => CROWD_MS * crowd.size();

  await atStep('before the faults', async () => {
    await startWork(plan.work.setup, instances, ledger).done;
    await crowd.begin();
    await crowd.grow(plan.crowd.size);
  });
  story.tell('the faults begin');
  const work = startWork(plan.work.actors, instances, ledger);
  const scene: Scene = { stage, story, work, crowd, ledger, run: world.run, lasting: new Set() };
  const record: PoisonRecord = { retried: new Set() };
  await atStep('under faults', () =>
    allSettled([
      performPoison(poison, scene, record),
      performFaults(plan.faults, scene),
      crowd.stir(plan.crowd, story),
    ]),
  );

  const { lasting } = scene;
  const healthy = (each: Instance) => !lasting.has(each);
  if (lasting.size > 0)
    await atStep('with an instance cut off for the rest', async () => {
      await work.done;
      const others = instances.filter(healthy);
      const token = await seal(world, 0, others, ledger);
      await untilCaughtUp(others, world, token, WITHOUT_THE_OTHERS_MS + more());
      story.tell('the others have caught up');
    });

  await atStep('after the faults', async () => {
    await stage.heal();
    story.tell('all is healed');
    await work.done;
    const { writes, repeated } = work.counts();
    story.tell(`${writes} writes are acknowledged, ${repeated} requests were repeated`);
    await untilReady(instances, HEALED_WITHIN_MS + more());
    const token = await seal(world, 1, instances, ledger);
    await untilCaughtUp(instances, world, token, HEALED_WITHIN_MS + more());
    story.tell('all have caught up');
  });
  const streams = new Map(await atStep('the event log', () => expectLogged(ledger, stage.log)));
  await atStep('parked streams', () => unpark(stage, poison, record, story));
  for (const { stream } of poison.spoiled) streams.set(stream, await stage.log.read(stream));
  await atStep('counts', () => expectCounts(instances, world, streams, crowd));
  story.tell('what is counted is what is listed');
  // Such as an unhandled rejection, or a leak that Node.js warns of.
  const complaint = instances.map((each) => each.complaint()).join('');
  if (complaint !== '') throw new Error(`standard error: ${complaint.slice(0, 2_000)}`);
  const skipping = new Set(poison.spoiled.flatMap(({ projections }) => projections));
  await atStep('rebuild', () => expectAsRebuilt(stage, skipping, plan.isVerifiedByCli));
  story.tell('what is served is what a rebuild comes to');
};

/** Plays a plan on a stage. All faults are over when it resolves. */
export const runPlan = async (plan: Plan, stage: Stage): Promise<Outcome> => {
  const story = createStory();
  try {
    await play(plan, stage, story);
    return { story, failure: undefined };
  } catch (error) {
    story.tell(`since the instances began, they have logged:\n${errorsIn(stage.instances)}`);
    return { story, failure: error instanceof Error ? error : new Error(String(error)) };
  }
};
