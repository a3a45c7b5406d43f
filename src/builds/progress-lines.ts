import type { Build, BuildSummary, ProjectionBuildsSummary, Verification } from './build-schema.ts';
import { findBuild } from './projection-builds.ts';

export type BuildOutcome =
  | { readonly kind: 'served'; readonly report: Verification | undefined }
  | { readonly kind: 'compared' | 'differs'; readonly report: Verification }
  | { readonly kind: 'stopped'; readonly reason: string }
  | { readonly kind: 'cancelled' };

const reportOfForgotten = ({ verified }: ProjectionBuildsSummary, id: string): Verification | undefined =>
  verified?.build === id ? verified.report : undefined;

/** How a build ended; undefined while it is under way. */
export const buildOutcomeOf = (record: ProjectionBuildsSummary, id: string): BuildOutcome | undefined => {
  const build = findBuild(record, id);
  // The build's own report, since another may have been compared later; for a dropped build only the record has it.
  const report = build ? (build.verification ?? undefined) : reportOfForgotten(record, id);
  if (record.active === id && build?.step === 'ready') return { kind: 'served', report };
  if (report && build?.step === 'differs') return { kind: 'differs', report };
  if (build?.step === 'stopped' || (record.active === id && build?.stoppedBy != null))
    return { kind: 'stopped', reason: build.stoppedBy ?? '' };
  if (build && build.step !== 'discarded') return undefined;
  return report && build?.purpose !== 'serve' ? { kind: 'compared', report } : { kind: 'cancelled' };
};

/** The progress of a build under way. */
export interface BuildProgressLine extends Readonly<NonNullable<Build['progress']>> {
  readonly projection: string;
  readonly build: string;
  readonly step: Build['step'];
  readonly secondsLeft: number | null;
}

/** How long a build still takes at its rate; null where that is not known. */
export const secondsLeft = ({ events, of, perSecond }: NonNullable<Build['progress']>): number | null =>
  perSecond > 0 ? Math.round((of - events) / perSecond) : null;

export const toBuildProgressLine = (name: string, { id, step, progress }: BuildSummary): BuildProgressLine => {
  const known = progress ?? { events: 0, of: 0, perSecond: 0 };
  return { projection: name, build: id, step, ...known, secondsLeft: secondsLeft(known) };
};

/** The last line of a build that has ended, where the build registry has forgotten it since the line before. */
export const toFinalProgressLine = (before: BuildProgressLine, outcome: BuildOutcome): BuildProgressLine =>
  outcome.kind === 'served' || outcome.kind === 'compared'
    ? { ...before, step: 'discarded', events: before.of, secondsLeft: 0 }
    : { ...before, step: 'discarded' };
