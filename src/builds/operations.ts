import { DomainError, notFound } from '../errors/domain-error.ts';
import type { Projection } from '../projector/projection.ts';
import type { Build, BuildOptions, ProjectionBuilds } from './build-schema.ts';
import type { BuildRegistry } from './registry.ts';
import { requestReleases, type ParkedByBuild } from './releases.ts';
import { verificationBuild, activeBuild, replacementBuild } from './projection-builds.ts';
import {
  cancelBuilds,
  beginVerification,
  createProjectionBuilds,
  markPaused,
  beginRebuild,
  markResumed,
  rollBack,
} from './transitions.ts';

export interface BegunBuild {
  readonly name: string;
  readonly build: string;
}

/** What an operator can ask for, from the command line or over HTTP. */
export interface ProjectionOperations {
  /** @throws DomainError not-found for the first name that no projection has */
  readonly refuseUnknown: (names: readonly string[]) => void;
  /** By name; projections without a record are left out. */
  readonly all: () => Promise<ReadonlyMap<string, ProjectionBuilds>>;
  /** Resolves to the builds that were begun or resumed; begins none of them where one is refused. */
  readonly rebuild: (names: readonly string[], options: BuildOptions) => Promise<readonly BegunBuild[]>;
  /** The same for builds that are compared with the active ones. */
  readonly verify: (names: readonly string[], throttle: number | null) => Promise<readonly BegunBuild[]>;
  readonly cancel: (name: string) => Promise<ProjectionBuilds>;
  readonly rollBack: (name: string, to?: string) => Promise<ProjectionBuilds>;
  readonly pause: (name: string, by: string) => Promise<ProjectionBuilds>;
  readonly resume: (name: string) => Promise<ProjectionBuilds>;
  /** Applies parked streams again, all or one: after a fix. */
  readonly retry: (name: string, stream: string | undefined) => Promise<ProjectionBuilds>;
  /** The same, without the poison events at which streams are parked. */
  readonly skip: (name: string, stream: string | undefined) => Promise<ProjectionBuilds>;
  readonly parked: () => Promise<ParkedByBuild>;
}

type RegistryTransition = (record: ProjectionBuilds, version: number) => ProjectionBuilds;
/** How a build is begun, and found in the record afterwards. */
interface Beginning {
  readonly act: RegistryTransition;
  readonly begun: (record: ProjectionBuilds) => Build | undefined;
}

/**
 * Writes into the build registry what is to be done; the instance that runs the projector does it.
 *
 * @param now RFC 3339
 * @param onChange called after each change
 * @throws DomainError, from each: not-found for an unknown projection, conflict for what cannot be done now
 */
export const createProjectionOperations = (
  registry: BuildRegistry,
  projections: readonly Pick<Projection, 'name' | 'version'>[],
  parked: () => Promise<ParkedByBuild>,
  now: () => string,
  onChange: () => void = () => undefined,
): ProjectionOperations => {
  /** @throws DomainError for an unknown projection */
  const versionOf = (name: string): number => {
    const projection = projections.find((each) => each.name === name);
    if (projection) return projection.version;
    const names = projections.map((each) => each.name).join(', ');
    throw notFound(`There is no projection ${name}; allowed: ${names}`);
  };
  /** Applies an act to a record, or to a new one. @throws DomainError for an unknown projection */
  const acting = (
    name: string,
    act: RegistryTransition,
  ): ((before: ProjectionBuilds | undefined) => ProjectionBuilds) => {
    const version = versionOf(name);
    return (before) => act(before ?? createProjectionBuilds(name, version, now()), version);
  };
  const change = async (name: string, act: RegistryTransition): Promise<ProjectionBuilds> => {
    const record = await registry.change(name, acting(name, act));
    onChange();
    return record;
  };

  const begin = async (name: string, { act, begun }: Beginning): Promise<BegunBuild> => {
    const build = begun(await change(name, act));
    if (!build) throw new Error('What was begun is not there');
    return { name, build: build.id };
  };
  const beginAll = async (names: readonly string[], beginning: Beginning): Promise<readonly BegunBuild[]> => {
    // All are checked first; what changes between this check and the act is refused then.
    const records = await registry.all();
    try {
      for (const name of names) acting(name, beginning.act)(records.get(name));
    } catch (error) {
      if (!(error instanceof DomainError) || names.length === 1) throw error;
      throw new DomainError(error.reason, `${error.message}. Nothing was begun of the others`, error);
    }
    const all: BegunBuild[] = [];
    for (const name of names) all.push(await begin(name, beginning));
    return all;
  };
  const rebuilding = (options: BuildOptions): Beginning => ({
    act: (record, version) => beginRebuild(record, version, options, now()),
    begun: (record) => replacementBuild(record) ?? activeBuild(record),
  });
  const verifying = (throttle: number | null): Beginning => ({
    act: (record, version) => beginVerification(record, version, throttle, now()),
    begun: verificationBuild,
  });

  const release = async (name: string, kind: 'retry' | 'skip', stream: string | undefined) => {
    const streams = await parked();
    return change(name, (record) => requestReleases(record, streams, kind, stream));
  };

  return {
    refuseUnknown(names) {
      for (const name of names) versionOf(name);
    },
    all: () => registry.all(),
    parked,
    rebuild: (names, options) => beginAll(names, rebuilding(options)),
    verify: (names, throttle) => beginAll(names, verifying(throttle)),
    cancel: (name) => change(name, (record) => cancelBuilds(record, now())),
    rollBack: (name, to) => change(name, (record, version) => rollBack(record, version, to, now())),
    pause: (name, by) => change(name, (record) => markPaused(record, by, now())),
    resume: (name) => change(name, markResumed),
    retry: (name, stream) => release(name, 'retry', stream),
    skip: (name, stream) => release(name, 'skip', stream),
  };
};
