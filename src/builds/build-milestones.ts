import type { Build, ProjectionBuilds } from './build-schema.ts';
import { findBuild } from './projection-builds.ts';

/** What has happened to a build, for the application log. */
export type BuildMilestone = { readonly projection: string; readonly build: string } & (
  | { readonly kind: 'begun'; readonly purpose: Build['purpose'] }
  | { readonly kind: 'built'; readonly events: number | null; readonly perSecond: number | null }
  | { readonly kind: 'compared'; readonly documents: number; readonly differing: number; readonly uncompared: number }
  | { readonly kind: 'switched'; readonly replaces: string }
  | { readonly kind: 'dropped' }
);

const WHOLE_BUILD_STEPS: readonly Build['step'][] = ['verify', 'differs', 'ready'];

function* milestonesOf(
  before: ProjectionBuilds | undefined,
  after: ProjectionBuilds,
): Generator<BuildMilestone, void, undefined> {
  const { name: projection, active, verified } = after;
  for (const build of after.builds) {
    const { id, step, purpose, progress } = build;
    const earlier = before && findBuild(before, id);
    if (!earlier) yield { kind: 'begun', projection, build: id, purpose };
    if ((earlier?.step ?? 'build') === 'build' && WHOLE_BUILD_STEPS.includes(step)) {
      const { events = null, perSecond = null } = progress ?? {};
      yield { kind: 'built', projection, build: id, events, perSecond };
    }
  }
  if (verified && verified.report.at !== before?.verified?.report.at) {
    const { built: documents, total: differing, uncompared = 0 } = verified.report;
    yield { kind: 'compared', projection, build: verified.build, documents, differing, uncompared };
  }
  if (before && before.active !== active)
    yield { kind: 'switched', projection, build: active, replaces: before.active };
  for (const { id } of before?.builds ?? [])
    if (!findBuild(after, id)) yield { kind: 'dropped', projection, build: id };
}

/** What has happened to builds between two looks at the build registry, in the order in which it happens to one. */
export const buildMilestonesBetween = (
  before: ReadonlyMap<string, ProjectionBuilds>,
  after: ReadonlyMap<string, ProjectionBuilds>,
): BuildMilestone[] =>
  [...after].flatMap(([name, record]) =>
    record === before.get(name) ? [] : [...milestonesOf(before.get(name), record)],
  );
