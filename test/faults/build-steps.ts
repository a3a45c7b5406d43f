import { setTimeout as delay } from 'node:timers/promises';
import type { Build, ProjectionBuilds } from '../../src/builds/build-schema.ts';
import { changeRecord } from '../../src/builds/registry.ts';
import { findBuild, activeBuild } from '../../src/builds/projection-builds.ts';
import { eventually } from '../support/eventually.ts';
import type { BuildScene } from './build-scene.ts';

/** The steps of a rebuild, in their order. */
export const steps = ['build', 'catch-up', 'verify', 'switch', 'clean-up'] as const;
export type NamedStep = (typeof steps)[number];

/** The builds of a rebuild, by projection. */
export type Rebuild = ReadonlyMap<string, string>;

const LOOK_MS = 3;

const isCleanUp = (records: readonly ProjectionBuilds[]): boolean => records.some(({ builds }) => builds.length > 1);

/** The steps that a rebuild of several projections is at; none when it is over. */
export const stepsNow = async (
  { registry, positions }: Pick<BuildScene, 'registry' | 'positions'>,
  rebuild: Rebuild,
): Promise<ReadonlySet<NamedStep>> => {
  const all = await registry.all();
  const records = [...all.values()].filter(({ name }) => rebuild.has(name));
  const served = records.filter(({ name, active }) => active === rebuild.get(name));
  if (served.length === records.length) return new Set(isCleanUp(records) ? ['clean-up' as const] : []);
  const found = new Set<NamedStep>(served.length > 0 ? ['switch'] : []);
  const known = await positions();
  for (const record of records) {
    const build = findBuild(record, rebuild.get(record.name) ?? '');
    if (build?.step === 'verify') found.add('verify');
    if (build?.step === 'build') found.add(known.has(build.id) ? 'catch-up' : 'build');
  }
  return found;
};

/** Waits until the registry shows every first build as ready, which is a little after all is served. */
export const untilBuilt = ({ registry }: Pick<BuildScene, 'registry'>): Promise<number> =>
  eventually('all is built', async () =>
    [...(await registry.all()).values()].every((record) => activeBuild(record).step === 'ready'),
  );

/**
 * Longer than the service takes to stop applying a discarded build: a later commit would create what was dropped again.
 */
export const SOON_MS = 500;

/** Has discarded builds dropped soon, since their wait for other instances is not what is tested. */
export const hasten = async ({ registry }: Pick<BuildScene, 'registry'>): Promise<void> => {
  const soon = new Date(Date.now() + SOON_MS).toISOString();
  const waitsLong = ({ step, keptUntil }: Build): boolean => step === 'discarded' && (keptUntil ?? '') > soon;
  for (const name of (await registry.all()).keys())
    await changeRecord(registry, name, (record) => {
      if (!record.builds.some(waitsLong)) return record;
      const builds = record.builds.map((build) => (waitsLong(build) ? { ...build, keptUntil: soon } : build));
      return { ...record, builds };
    });
};

/** Waits until a rebuild is at a step; false when it has passed that step already. */
export const comesTo = async (scene: BuildScene, rebuild: Rebuild, step: NamedStep): Promise<boolean> => {
  const isPast = (now: NamedStep): boolean => steps.indexOf(now) > steps.indexOf(step);
  for (;;) {
    const now = [...(await stepsNow(scene, rebuild))];
    if (now.includes(step)) return true;
    if (now.every(isPast)) return false;
    await delay(LOOK_MS);
  }
};
