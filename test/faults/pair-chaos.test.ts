import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { missingServers } from './pair-chaos/pair.ts';
import { planOf, type Plan } from './pair-chaos/plan.ts';
import { runPlan, type Outcome } from './pair-chaos/run.ts';
import { SEED, settings } from './pair-chaos/settings.ts';
import { openStage, type Stage } from './pair-chaos/stage.ts';
import { withSeed } from '../support/seeded.ts';

const NAME = 'EventStoreDB and MongoDB under three instances, with chaos from a seed';
/** Storing an event that touches 7,000 rows several times, through kills, takes minutes where all share two cores. */
const RUN_MS = 600_000;
/** Runs that share instances and streams; rebuilds take longer with every run. */
const RUNS_PER_STAGE = 8;
const LARGE = 1_000;

/** Whether a run's leftovers would slow down the next run, or stop its rebuilds. */
const isLastOn = ({ crowd, poison }: Plan): boolean => crowd.size >= LARGE || poison.spoiled.length > 0;

/** Writes a run's report to a directory of its own. */
const report = async ({ seed, ...plan }: Plan, { story, failure }: Outcome, stage: Stage): Promise<void> => {
  if (settings.reports === undefined) return;
  const directory = join(settings.reports, String(seed));
  await mkdir(directory, { recursive: true });
  const { faults, poison, crowd } = plan;
  const told = [
    failure?.message ?? 'All is well',
    '',
    ...story.lines(),
    '',
    JSON.stringify({ faults, poison, crowd }, null, 2),
  ];
  await writeFile(join(directory, 'story.txt'), told.join('\n'));
  if (!failure) return;
  for (const { number, lines, complaint } of stage.instances)
    await writeFile(join(directory, `instance-${number}.log`), `${lines().join('\n')}\n${complaint()}`);
};

const missing = missingServers();
describe(NAME, function () {
  this.timeout(RUN_MS);
  if (missing !== undefined) {
    it.skip(`is skipped: there is ${missing}`);
    return;
  }
  let stage: Stage | undefined;
  let runsOnStage = 0;
  const leaveStage = async () => {
    await stage?.close();
    [stage, runsOnStage] = [undefined, 0];
  };
  after(leaveStage);

  for (let number = 0; number < settings.runs; number++) {
    const seed = settings.firstSeed + number;
    it(`comes to what the event log says (${SEED}=${seed})`, () =>
      withSeed(SEED, seed, async () => {
        const plan = planOf(seed, settings.poison);
        stage ??= await openStage();
        const outcome = await runPlan(plan, stage);
        runsOnStage++;
        const { story, failure } = outcome;
        await report(plan, outcome, stage);
        if (failure || isLastOn(plan) || runsOnStage >= RUNS_PER_STAGE) await leaveStage();
        if (failure) throw new Error(`${failure.message}\n${story.lines().join('\n')}\n`, { cause: failure });
      }));
  }
});
