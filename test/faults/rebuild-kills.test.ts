import { expect } from 'chai';
import { setTimeout as delay } from 'node:timers/promises';
import { projections } from '../../projections/index.ts';
import { createProjectionOperations } from '../../src/builds/operations.ts';
import { START_POSITION } from '../../src/event-store/port.ts';
import type { Projection } from '../../src/projector/projection.ts';
import { eventually } from '../support/eventually.ts';
import type { Running } from '../support/process.ts';
import { chanceOf, seedFrom, withSeed, type Chance } from '../support/seeded.ts';
import { withBothServers } from '../support/servers.ts';
import { newBuildScene, servedCollections, type BuildScene } from './build-scene.ts';
import { comesTo, hasten, SOON_MS, steps, stepsNow, untilBuilt, type NamedStep, type Rebuild } from './build-steps.ts';
import { untilReady } from './instances.ts';
import { createModel, differing, modelOfAll, type Documents } from './model.ts';
import { createSteadyWriter, recordPosting } from './steady-writer.ts';

const SEED = 'REBUILD_KILLS_SEED';
const KILLS_EACH = 5;
/** More than KILLS_EACH, since a rebuild may pass a step while the service restarts. */
const MAX_ROUNDS = 40;
const OVER_MS = 60_000;

/** The longest delay of a kill after its step was seen; the short ones reach into the next step. */
const withinMs: Readonly<Record<NamedStep, number>> = {
  build: 700,
  'catch-up': 60,
  verify: 60,
  switch: 30,
  'clean-up': 60,
};

const asked = { keepHours: 0, isApproved: false, isStrict: true };
const now = () => new Date().toISOString();

/** Rebuilds all projections repeatedly under writes, and kills the service in each step. */
const killAtEveryStep = async (
  scene: BuildScene,
  { chance, throttle }: { readonly chance: Chance; readonly throttle: number },
): Promise<void> => {
  const { registry, log } = scene;
  const operations = createProjectionOperations(registry, projections, scene.checkpoints, now);
  const model = createModel(log);
  let service: Running = await scene.start();
  await untilReady(service);
  await untilBuilt(scene);
  await recordPosting(service.url);
  const writer = createSteadyWriter(() => service.url);

  /** A build's documents and their position; reads again if a commit of the killed service has arrived meanwhile. */
  const standOf = async (projection: Projection, id: string) => {
    for (;;) {
      const position = (await scene.positions()).get(id);
      const documents = await scene.documentsOf(projection, id);
      if ((await scene.positions()).get(id) === position) return { position, documents };
    }
  };

  /** The active build is complete and matches the event log, whichever build that is. */
  const expectWhole = async (after: string): Promise<void> => {
    const records = await registry.all();
    for (const projection of projections) {
      const record = records.get(projection.name);
      const active = record?.builds.find(({ id }) => id === record.active);
      expect(active, `${projection.name} ${after}`).to.include({ step: 'ready' });
      const { position, documents } = await standOf(projection, active?.id ?? '');
      expect(position, `the checkpoint of ${active?.id} ${after}`).to.be.a('string');
      const modelled = await model.at(projection, position ?? START_POSITION);
      expect(differing(documents, modelled), `${active?.id} at ${position} ${after}`).to.deep.equal([]);
    }
  };

  /** After the last write, what is served matches the whole event log. */
  const expectAsRebuilt = async (after: string): Promise<void> => {
    const head = await log.head();
    const livesThere = async () => {
      const [records, positions] = [await registry.all(), await scene.positions()];
      return projections.every(({ name }) => (positions.get(records.get(name)?.active ?? '') ?? '') >= head);
    };
    await eventually(`what is served has everything ${after}`, livesThere, OVER_MS);
    const records = await registry.all();
    const served: Documents[] = [];
    for (const each of projections) served.push(await scene.documentsOf(each, records.get(each.name)?.active ?? ''));
    const found = Object.assign({}, ...served) as Documents;
    expect(differing(found, await modelOfAll(model, head)), `what is served ${after}`).to.deep.equal([]);
  };

  const restarted = async (after: string): Promise<void> => {
    await expectWhole(after);
    service = await scene.start();
    await untilReady(service);
    await writer.hold();
    await expectAsRebuilt(after);
    writer.goOn();
  };

  const kills = new Map<NamedStep, number>(steps.map((step) => [step, 0]));
  const isDone = (step: NamedStep): boolean => (kills.get(step) ?? 0) >= KILLS_EACH;

  const killAt = async (step: NamedStep, rebuild: Rebuild): Promise<void> => {
    if (step === 'clean-up') {
      // A discarded build's drop can be hastened only once the build is discarded.
      await comesTo(scene, rebuild, step);
      await hasten(scene);
      await delay(SOON_MS);
    }
    if (!(await comesTo(scene, rebuild, step))) return;
    await delay(chance.next() * withinMs[step]);
    await service.end('SIGKILL');
    kills.set(step, (kills.get(step) ?? 0) + 1);
    await restarted(`after a kill at ${step}`);
  };

  try {
    writer.goOn();
    for (let round = 0; round < MAX_ROUNDS && !steps.every(isDone); round++) {
      const rebuild = new Map<string, string>();
      for (const { name } of projections)
        for (const { build } of await operations.rebuild([name], { ...asked, throttle })) rebuild.set(name, build);
      // Rounds begin at different steps, since the checks after a kill let a rebuild pass the next ones.
      const first = round % steps.length;
      for (const step of steps.slice(first)) if (!isDone(step)) await killAt(step, rebuild);
      const isOver = async () => {
        await hasten(scene);
        return (await stepsNow(scene, rebuild)).size === 0;
      };
      await eventually('the rebuild is over', isOver, OVER_MS);
    }
    await writer.hold();
    await expectAsRebuilt('in the end');
  } finally {
    await writer.hold();
  }
  expect(await service.end('SIGTERM')).to.equal(0);
  expect(
    steps.filter((step) => !isDone(step)),
    'steps that were hit too rarely',
  ).to.deep.equal([]);
  const [stored, served] = [await scene.stored(), await servedCollections(scene)];
  expect(
    stored.filter((name) => !served.includes(name)),
    'what is left of builds that were dropped',
  ).to.deep.equal([]);
  expect(stored).to.include.members(served);
};

const title = `serves one whole version after each, and finishes (${KILLS_EACH} kills at each step)`;

describe('A rebuild of all projections on files that is killed at every step, under writes', function () {
  this.timeout(400_000);
  let scene: BuildScene;
  before(async () => {
    scene = await newBuildScene(300);
  });
  after(() => scene.end());

  it(title, () => {
    const seed = seedFrom(SEED);
    const how = { chance: chanceOf(seed), throttle: 2_000 };
    return withSeed(SEED, seed, () => killAtEveryStep(scene, how));
  });
});

const ON_SERVERS = 'A rebuild of all projections on servers that is killed at every step, under writes';
withBothServers(ON_SERVERS, (servers) => {
  describe(ON_SERVERS, function () {
    this.timeout(900_000);
    let scene: BuildScene;
    before(async () => {
      scene = await newBuildScene(200, servers);
    });
    after(() => scene.end());

    it(title, () => {
      const seed = seedFrom(SEED);
      const how = { chance: chanceOf(seed), throttle: 2_000 };
      return withSeed(SEED, seed, () => killAtEveryStep(scene, how));
    });
  });
});
