import type { ProjectionOperations } from '../../src/builds/operations.ts';
import { DomainError } from '../../src/errors/domain-error.ts';
import type { Chance } from '../support/seeded.ts';

const asked = (chance: Chance) => ({
  throttle: chance.isTrue(0.5) ? 100 + chance.below(2_000) : null,
  keepHours: chance.oneOf([0, 1]),
  isApproved: chance.isTrue(0.3),
  isStrict: chance.isTrue(0.5),
});

/** Skips an event at which a stream of a projection is parked, if one is. */
const skipOne = async ({ all, parked, skip }: ProjectionOperations, name: string, which: number): Promise<void> => {
  const [builds, streams] = [(await all()).get(name)?.builds ?? [], await parked()];
  const found = builds.flatMap(({ id }) => streams.get(id)?.parked ?? []);
  const chosen = found[Math.floor(which * found.length)];
  if (chosen) await skip(name, chosen.stream);
};

/** Performs a random operation on one projection; a refusal is fine. */
export const operate = async (
  operations: ProjectionOperations,
  names: readonly string[],
  chance: Chance,
): Promise<void> => {
  const name = chance.oneOf(names);
  const acts: readonly (() => Promise<unknown>)[] = [
    () => operations.rebuild([name], asked(chance)),
    () => operations.rebuild([name], asked(chance)),
    () => operations.verify([name], null),
    () => operations.pause(name, 'chaos'),
    () => operations.resume(name),
    () => operations.rollBack(name),
    () => operations.cancel(name),
    () => operations.retry(name, undefined),
    // Listed twice, since streams are seldom parked.
    () => skipOne(operations, name, chance.next()),
    () => skipOne(operations, name, chance.next()),
  ];
  await unlessRefused(chance.oneOf(acts));
};

export const unlessRefused = async (act: () => Promise<unknown>): Promise<void> => {
  try {
    await act();
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
  }
};
