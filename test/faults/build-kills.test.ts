import { expect } from 'chai';
import { setTimeout as delay } from 'node:timers/promises';
import { projections } from '../../projections/index.ts';
import type { Build } from '../../src/build-registry/build.ts';
import { createOperations } from '../../src/rebuilds/operations.ts';
import { buildWith } from '../../src/build-registry/entry.ts';
import { START } from '../../src/event-store/port.ts';
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
/** So many that they are not folded, at so many events a second, before a part of them is stored. */
const CANDIDATES = 4_500;
const THROTTLE = 250;
/** More than there are. */
const MOST_EVENTS = 100_000;
const KILLS = 3;
const WITHIN_MS = 120_000;
/** It does not come to the end before it is killed. */
const SLOWLY = 20;

const asked = { throttle: THROTTLE, keepHours: 0, isApproved: false, isStrict: true };
const now = () => new Date().toISOString();

/** Kills the service again and again while a build goes on of which a part is stored. */
const killInTheMiddle = async (scene: BuildScene, chance: Chance): Promise<void> => {
  const { catalogue, log } = scene;
  const operations = createOperations(catalogue, projections, scene.checkpoints, now);
  const projection = projections.find(({ name }) => name === NAME);
  if (!projection) throw new Error('There is no such projection');
  const entry = async () => (await catalogue.all()).get(NAME);

  // Given a service that has nothing else to store, and a rebuild of which a part is stored, which goes slowly from there
  let service = await scene.start();
  await untilReady(service);
  await untilBuilt(scene);
  const id = await operations.rebuild(NAME, asked);
  const build = async (): Promise<Build | undefined> => {
    const found = await entry();
    return found && buildWith(found, id);
  };
  await eventually('a part of the build is stored', () => scene.isPartStored(id), WITHIN_MS);
  await operations.rebuild(NAME, { ...asked, throttle: SLOWLY });

  // When the service is killed
  let before: Build['progress'] = null;
  for (let kills = 0; kills < KILLS; kills++) {
    await delay(chance.next() * 500);
    await service.end('SIGKILL');
    // Then that part is there, and nothing of it is served
    expect(await scene.isPartStored(id), `${id} is stored in part after ${kills + 1} kills`).to.equal(true);
    expect(await build()).to.include({ step: 'build' });
    expect((await entry())?.live).to.not.equal(id);
    before = (await build())?.progress ?? null;
    service = await scene.start();
    await untilReady(service);
  }

  // And the rest is folded after it, and no more than that
  await operations.rebuild(NAME, { ...asked, throttle: null });
  await eventually('it is served', async () => (await entry())?.live === id, WITHIN_MS);
  const after = (await build())?.progress;
  if (!before || !after) throw new Error('Nobody has noted how far the build has come');
  const own = (await log.readAll(START, MOST_EVENTS)).filter(({ type }) => handlerOf(projection, type));
  expect(after.events - before.events, 'events folded since the last kill').to.be.below(own.length);
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
