import { expect } from 'chai';
import { setTimeout as delay } from 'node:timers/promises';
import { projections } from '../../projections/index.ts';
import type { Build } from '../../src/builds/build-schema.ts';
import { createProjectionOperations } from '../../src/builds/operations.ts';
import { findBuild } from '../../src/builds/projection-builds.ts';
import { START_POSITION } from '../../src/event-store/port.ts';
import { handlerOf } from '../../src/projector/projection.ts';
import { eventually } from '../support/eventually.ts';
import { chanceOf, seedFrom, withSeed, type Chance } from '../support/seeded.ts';
import { withBothServers } from '../support/servers.ts';
import { newBuildScene, type BuildScene } from './build-scene.ts';
import { untilBuilt } from './build-steps.ts';
import { untilReady } from './instances.ts';
import { createModel, differing } from './model.ts';

const SEED = 'BUILD_KILLS_SEED';
const NAME = 'posting-candidates';
/** So many that, at THROTTLE events a second, a part of the build is stored before all are applied. */
const CANDIDATES = 4_500;
const THROTTLE = 250;
/** More than the event log holds. */
const MAX_EVENTS = 100_000;
const KILLS = 3;
const WITHIN_MS = 120_000;
/** A throttle at which the build does not reach the head before the service is killed. */
const SLOWLY = 20;

const asked = { throttle: THROTTLE, keepHours: 0, isApproved: false, isStrict: true };
const now = () => new Date().toISOString();

/** Kills the service repeatedly while a build goes on of which a part is stored. */
const killInTheMiddle = async (scene: BuildScene, chance: Chance): Promise<void> => {
  const { registry, log } = scene;
  const operations = createProjectionOperations(registry, projections, scene.checkpoints, now);
  const projection = projections.find(({ name }) => name === NAME);
  if (!projection) throw new Error('There is no such projection');
  const record = async () => (await registry.all()).get(NAME);

  // Given an idle service, and a rebuild of which a part is stored and which is slow from there on
  let service = await scene.start();
  await untilReady(service);
  await untilBuilt(scene);
  const [{ build: id } = { build: '' }] = await operations.rebuild([NAME], asked);
  const build = async (): Promise<Build | undefined> => {
    const found = await record();
    return found && findBuild(found, id);
  };
  await eventually('a part of the build is stored', () => scene.isPartStored(id), WITHIN_MS);
  await operations.rebuild([NAME], { ...asked, throttle: SLOWLY });

  // When the service is killed
  let before: Build['progress'] = null;
  for (let kills = 0; kills < KILLS; kills++) {
    await delay(chance.next() * 500);
    await service.end('SIGKILL');
    // Then the stored part is still there, and the standby build is not served
    expect(await scene.isPartStored(id), `${id} is stored in part after ${kills + 1} kills`).to.equal(true);
    expect(await build()).to.include({ step: 'build' });
    expect((await record())?.active).to.not.equal(id);
    before = (await build())?.progress ?? null;
    service = await scene.start();
    await untilReady(service);
  }

  // And the rebuild applies only the remaining events
  await operations.rebuild([NAME], { ...asked, throttle: null });
  await eventually('it is served', async () => (await record())?.active === id, WITHIN_MS);
  const after = (await build())?.progress;
  if (!before || !after) throw new Error('No record tells how far the build has come');
  const own = (await log.readAll(START_POSITION, MAX_EVENTS)).filter(({ type }) => handlerOf(projection, type));
  expect(after.events - before.events, 'events applied since the last kill').to.be.below(own.length);
  const head = await log.head();
  const isThere = async () => ((await scene.positions()).get(id) ?? '') >= head;
  await eventually('it has come to the head', isThere, WITHIN_MS);
  const modelled = await createModel(log).at(projection, head);
  expect(differing(await scene.documentsOf(projection, id), modelled)).to.deep.equal([]);
  expect(await service.end('SIGTERM')).to.equal(0);
};

const title = 'goes on from there, and not from the beginning of the log';

/** @param open a scene with a world of so many candidates */
const suite = (open: (candidates: number) => Promise<BuildScene>) =>
  function (this: Mocha.Suite): void {
    this.timeout(600_000);
    let scene: BuildScene;
    before(async () => {
      scene = await open(CANDIDATES);
    });
    after(() => scene.end());

    it(title, () => {
      const seed = seedFrom(SEED);
      return withSeed(SEED, seed, () => killInTheMiddle(scene, chanceOf(seed)));
    });
  };

describe(
  'A build on files that is killed when a part of it is stored',
  suite((candidates) => newBuildScene(candidates)),
);

const ON_SERVERS = 'A build on servers that is killed when a part of it is stored';
withBothServers(ON_SERVERS, (servers) => {
  describe(
    ON_SERVERS,
    suite((candidates) => newBuildScene(candidates, servers)),
  );
});
