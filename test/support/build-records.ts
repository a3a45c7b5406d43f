import type { Build, BuildOptions, ProjectionBuilds, Verification } from '../../src/builds/build-schema.ts';
import { createProjectionBuilds, beginRebuild, setBuildStep, activateBuild } from '../../src/builds/transitions.ts';
import { DomainError } from '../../src/errors/domain-error.ts';

export const NOW = '2026-03-01T09:00:00.000Z';
export const hoursLater = (hours: number): string => new Date(Date.parse(NOW) + hours * 3_600_000).toISOString();
export const asUsual: BuildOptions = { throttle: null, keepHours: 24, isApproved: false, isStrict: true };
export const approved: BuildOptions = { ...asUsual, isApproved: true };
export const report: Verification = {
  at: NOW,
  position: '7',
  live: 2,
  built: 2,
  liveHash: 'a',
  builtHash: 'b',
  total: 1,
  differences: [],
};

/** Builds as `<id> <step>`, the active one first. */
export const told = (record: ProjectionBuilds): string[] => {
  const isActive = ({ id }: Build) => id === record.active;
  return [...record.builds.filter(isActive), ...record.builds.filter((build) => !isActive(build))].map(
    ({ id, step }) => `${id} ${step}`,
  );
};
export const refusalOf = (act: () => ProjectionBuilds): string => {
  try {
    act();
  } catch (error) {
    if (error instanceof DomainError) return `${error.reason}: ${error.message}`;
    throw error;
  }
  return 'nothing is refused';
};

/** A record whose first build, of version 1, is complete. */
export const served1 = setBuildStep(createProjectionBuilds('lists', 1, NOW), 'lists@1.1', 'ready');
export const rebuilding = beginRebuild(served1, 1, asUsual, NOW);
export const differing = setBuildStep(rebuilding, 'lists@1.2', 'differs', { verification: report });
export const rebuiltOnce = activateBuild(rebuilding, 'lists@1.2', NOW);
