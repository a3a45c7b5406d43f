import type { RunAudited } from '../audit/audited.ts';
import type { ActOperation, ActParameters } from '../streams/audit.ts';
import type { BuildOptions } from './build-schema.ts';
import { omitUndefined } from '../lib/omit-undefined.ts';
import type { BegunBuild, ProjectionOperations } from './operations.ts';

const optionsOf = ({ throttle, ...options }: Partial<BuildOptions>): ActParameters =>
  throttle == null ? options : { ...options, throttle };
const buildsOf = (begun: readonly BegunBuild[]): string => begun.map(({ build }) => build).join(', ');

/**
 * The same operations for one actor, each recorded before it is done and when it is over. A rebuild is over once it is
 * requested: the switch that the projector's thread makes later is recorded as an act of its own (build-lifecycle.ts).
 * The name of an unknown projection is refused before anything is recorded.
 *
 * @param reason is recorded with each act; left out: none was given
 */
export const auditedOperations = (
  operations: ProjectionOperations,
  audited: RunAudited,
  reason?: string,
): ProjectionOperations => {
  const act = async <T>(
    operation: ActOperation,
    names: readonly string[],
    parameters: ActParameters,
    perform: () => Promise<T>,
    detailOf?: (result: T) => string,
  ): Promise<T> => {
    operations.refuseUnknown(names);
    const recorded = { projections: [...names], ...parameters, ...omitUndefined({ reason }) };
    return audited({ operation, parameters: recorded }, perform, detailOf);
  };
  return {
    ...operations,
    rebuild: (names, options) =>
      act('rebuild', names, optionsOf(options), () => operations.rebuild(names, options), buildsOf),
    verify: (names, throttle) =>
      act('verify', names, optionsOf({ throttle }), () => operations.verify(names, throttle), buildsOf),
    cancel: (name) => act('cancel', [name], {}, () => operations.cancel(name)),
    rollBack: (name, to) =>
      act(
        'rollback',
        [name],
        omitUndefined({ to }),
        () => operations.rollBack(name, to),
        ({ active }) => active,
      ),
    pause: (name, by) => act('pause', [name], {}, () => operations.pause(name, by)),
    resume: (name) => act('resume', [name], {}, () => operations.resume(name)),
    retry: (name, stream) => act('retry', [name], omitUndefined({ stream }), () => operations.retry(name, stream)),
    skip: (name, stream) => act('skip', [name], omitUndefined({ stream }), () => operations.skip(name, stream)),
  };
};
