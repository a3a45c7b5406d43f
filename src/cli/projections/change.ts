import { setTimeout as delay } from 'node:timers/promises';
import { projections } from '../../../projections/index.ts';
import { requireRecord } from '../../build-registry/registry.ts';
import type { Build } from '../../build-registry/build.ts';
import { appliedBuilds, activeBuild } from '../../build-registry/record.ts';
import type { Operations } from '../../rebuilds/operations.ts';
import { dueReleases } from '../../build-registry/releases.ts';
import { osActor } from '../../audit/os-actor.ts';
import { print } from '../parts/print.ts';
import type { Terminal } from '../parts/terminal.ts';
import { withOperations, withProjector } from './operating.ts';

/** `hiring projections rollback`: makes the build active again that was active before, or the one that is named. */
export const rollBack = (terminal: Terminal, name: string, { to }: { readonly to?: string }): Promise<void> =>
  withOperations(terminal, async ({ rollBack: back }) =>
    print(terminal.stdout, `${name}: ${activeBuild(await back(name, to)).id} is served`),
  );

/** `hiring projections cancel`: gives up the builds under way; the active one stays as it is. */
export const cancelRebuild = (terminal: Terminal, name: string): Promise<void> =>
  withOperations(terminal, async ({ cancel }) => {
    await cancel(name);
    print(terminal.stdout, `${name}: given up`);
  });

/** `hiring projections pause`: no instance applies events to a projection until it is resumed. */
export const pauseProjection = (terminal: Terminal, name: string): Promise<void> =>
  withOperations(terminal, async ({ pause }) => {
    const { paused } = await pause(name, osActor());
    print(terminal.stdout, `${name}: paused since ${paused?.since ?? ''} by ${paused?.by ?? ''}`);
  });

/** `hiring projections resume`: goes on where it was paused. */
export const resumeProjection = (terminal: Terminal, name: string): Promise<void> =>
  withOperations(terminal, async ({ resume }) => {
    await resume(name);
    print(terminal.stdout, `${name}: resumed`);
  });

const LOOK_MS = 100;
/** Applying parked streams takes no longer, as a rule. */
const MAX_MS = 60_000;

/**
 * Waits until releases are done in the builds that code of this version applies, and says what is parked after it.
 *
 * @returns whether nothing is
 * @throws what the signal is aborted with
 */
const settle = async (
  terminal: Terminal,
  operations: Operations,
  name: string,
  signal: AbortSignal,
): Promise<boolean> => {
  const { version = 0 } = projections.find((projection) => projection.name === name) ?? {};
  const look = async () => {
    const [record, parked] = [
      requireRecord(name, (await operations.all()).get(name)),
      await operations.parked(),
    ];
    const parkedIn = ({ id }: Build) => parked.get(id)?.parked ?? [];
    return {
      isDone: appliedBuilds(record, version).every(
        (build) => dueReleases(build, parkedIn(build)).length === 0,
      ),
      parked: record.builds.flatMap((build) => parkedIn(build).map((each) => ({ ...each, build: build.id }))),
    };
  };
  const end = performance.now() + MAX_MS;
  let now = await look();
  while (!now.isDone && performance.now() < end) {
    await delay(LOOK_MS);
    signal.throwIfAborted();
    now = await look();
  }
  for (const { build, stream, position, type, error } of now.parked)
    print(terminal.stdout, `${build}: ${stream} is parked at ${type} at ${position}: ${error}`);
  const isNothing = now.parked.length === 0;
  if (isNothing) print(terminal.stdout, `${name}: nothing is parked`);
  return isNothing;
};

/** `hiring projections retry`: applies parked streams again, all or one. */
export const retryQuarantined = (
  terminal: Terminal,
  name: string,
  stream: string | undefined,
): Promise<boolean> =>
  withOperations(terminal, async (operations, stores) => {
    await operations.retry(name, stream);
    return withProjector(terminal, stores, (signal) => settle(terminal, operations, name, signal));
  });

/** `hiring projections skip`: leaves out the poison event at which a stream is parked. */
export const skipQuarantined = (terminal: Terminal, name: string, stream: string): Promise<boolean> =>
  withOperations(terminal, async (operations, stores) => {
    await operations.skip(name, stream);
    return withProjector(terminal, stores, (signal) => settle(terminal, operations, name, signal));
  });
