import { setTimeout as delay } from 'node:timers/promises';
import type { Build, Entry } from '../../src/build-registry/build.ts';
import { changeKnown } from '../../src/build-registry/catalogue.ts';
import { buildWith, liveBuild } from '../../src/build-registry/entry.ts';
import { eventually } from '../support/eventually.ts';
import type { BuildScene } from './build-scene.ts';

/** What a rebuild goes through. */
export const steps = ['build', 'catch-up', 'verify', 'switch', 'clean-up'] as const;
export type NamedStep = (typeof steps)[number];

/** The builds of a rebuild, by projection. */
export type Rebuild = ReadonlyMap<string, string>;

const LOOK_MS = 3;

const isCleanUp = (entries: readonly Entry[]): boolean => entries.some(({ builds }) => builds.length > 1);

/** Which steps a rebuild of several projections is at; none when it is over. */
export const stepsNow = async (
  { catalogue, positions }: Pick<BuildScene, 'catalogue' | 'positions'>,
  rebuild: Rebuild,
): Promise<ReadonlySet<NamedStep>> => {
  const all = await catalogue.all();
  const entries = [...all.values()].filter(({ name }) => rebuild.has(name));
  const switched = entries.filter(({ name, live }) => live === rebuild.get(name));
  if (switched.length === entries.length) return new Set(isCleanUp(entries) ? ['clean-up' as const] : []);
  const found = new Set<NamedStep>(switched.length > 0 ? ['switch'] : []);
  const known = await positions();
  for (const entry of entries) {
    const build = buildWith(entry, rebuild.get(entry.name) ?? '');
    if (build?.step === 'verify') found.add('verify');
    if (build?.step === 'build') found.add(known.has(build.id) ? 'catch-up' : 'build');
  }
  return found;
};

/** Waits until every projection has been built for the first time, which is known a little after all is served. */
export const untilBuilt = ({ catalogue }: Pick<BuildScene, 'catalogue'>): Promise<number> =>
  eventually('all is built', async () =>
    [...(await catalogue.all()).values()].every((entry) => liveBuild(entry).step === 'ready'),
  );

/** The service learns in less that it is not to fold a build any more; what it folded later would be made anew. */
export const SOON_MS = 500;

/** Has discarded builds dropped soon: how long they wait for other instances is not what is tested. */
export const hasten = async ({ catalogue }: Pick<BuildScene, 'catalogue'>): Promise<void> => {
  const soon = new Date(Date.now() + SOON_MS).toISOString();
  const waitsLong = ({ step, keptUntil }: Build): boolean => step === 'discarded' && (keptUntil ?? '') > soon;
  for (const name of (await catalogue.all()).keys())
    await changeKnown(catalogue, name, (entry) => {
      if (!entry.builds.some(waitsLong)) return entry;
      const builds = entry.builds.map((build) => (waitsLong(build) ? { ...build, keptUntil: soon } : build));
      return { ...entry, builds };
    });
};

/** Waits until a rebuild is at a step; false when it has gone past that already. */
export const comesTo = async (scene: BuildScene, rebuild: Rebuild, step: NamedStep): Promise<boolean> => {
  const isPast = (now: NamedStep): boolean => steps.indexOf(now) > steps.indexOf(step);
  for (;;) {
    const now = [...(await stepsNow(scene, rebuild))];
    if (now.includes(step)) return true;
    if (now.every(isPast)) return false;
    await delay(LOOK_MS);
  }
};
