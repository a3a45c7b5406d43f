import { expect } from 'chai';
import { changeRecord } from '../../src/builds/registry.ts';
import { createProjectionOperations } from '../../src/builds/operations.ts';
import { activeBuild } from '../../src/builds/projection-builds.ts';
import { setBuildStep } from '../../src/builds/transitions.ts';
import { DomainError } from '../../src/errors/domain-error.ts';
import { openMemoryBuildRegistry } from '../support/memory-build-registry.ts';
import { nothingParked } from '../support/parked.ts';
import { asUsual, NOW } from '../support/build-records.ts';

/** Operations on projections, by default one, whose first builds are complete. */
const begun = async (names: readonly string[] = ['lists']) => {
  const registry = openMemoryBuildRegistry();
  const projections = names.map((name) => ({ name, version: 1 }));
  const operations = createProjectionOperations(registry, projections, nothingParked, () => NOW);
  for (const name of names) {
    await operations.resume(name);
    await changeRecord(registry, name, (record) => setBuildStep(record, record.active, 'ready'));
  }
  return operations;
};
const refusalOf = async (asked: Promise<unknown>): Promise<string> => {
  const [outcome] = await Promise.allSettled([asked]);
  const reason: unknown = outcome.status === 'rejected' ? outcome.reason : undefined;
  return reason instanceof DomainError ? `${reason.reason}: ${reason.message}` : String(reason);
};

describe('operations on projections', () => {
  it('refuse an unknown projection, and say which there are', async () => {
    const operations = await begun();
    const asked = [
      operations.rebuild(['none'], asUsual),
      operations.verify(['none'], null),
      operations.cancel('none'),
      operations.rollBack('none'),
      operations.pause('none', 'ada'),
      operations.resume('none'),
      operations.retry('none', undefined),
      operations.skip('none', 'list-a'),
    ];
    for (const each of asked)
      expect(await refusalOf(each)).to.equal('not-found: There is no projection none; allowed: lists');
    expect([...(await operations.all()).keys()]).to.deep.equal(['lists']);
  });

  it('give the id of what was begun, and the same again while it is under way', async () => {
    const operations = await begun();
    expect(await operations.rebuild(['lists'], asUsual)).to.deep.equal([{ name: 'lists', build: 'lists@1.2' }]);
    expect(await operations.rebuild(['lists'], asUsual)).to.deep.equal([{ name: 'lists', build: 'lists@1.2' }]);
    expect(await operations.verify(['lists'], null)).to.deep.equal([{ name: 'lists', build: 'lists@1.3' }]);
    expect(activeBuild(await operations.cancel('lists')).id).to.equal('lists@1.1');
    expect(await operations.rebuild(['lists'], asUsual)).to.deep.equal([{ name: 'lists', build: 'lists@1.4' }]);
  });

  it('refuse what would wait for as long as the projection is paused', async () => {
    const operations = await begun();
    await operations.pause('lists', 'ada');
    for (const asked of [
      operations.rebuild(['lists'], asUsual),
      operations.verify(['lists'], null),
      operations.retry('lists', undefined),
      operations.skip('lists', 'list-a'),
    ])
      expect(await refusalOf(asked)).to.equal('conflict: lists is paused; resume it first');
    await operations.resume('lists');
    expect(await operations.rebuild(['lists'], asUsual)).to.deep.equal([{ name: 'lists', build: 'lists@1.2' }]);
  });

  it('refuse to retry or skip where nothing is parked', async () => {
    const operations = await begun();
    expect(await refusalOf(operations.retry('lists', undefined))).to.equal('conflict: No stream of lists is parked');
    expect(await refusalOf(operations.skip('lists', 'list-a'))).to.equal(
      'conflict: The stream list-a is not parked in lists',
    );
  });

  describe('on several projections', () => {
    const both = ['lists', 'people'] as const;

    it('give the id of each build that was begun', async () => {
      const operations = await begun(both);
      expect(await operations.rebuild(both, asUsual)).to.deep.equal([
        { name: 'lists', build: 'lists@1.2' },
        { name: 'people', build: 'people@1.2' },
      ]);
      expect(await operations.verify(both, null)).to.deep.equal([
        { name: 'lists', build: 'lists@1.3' },
        { name: 'people', build: 'people@1.3' },
      ]);
    });

    it('begin nothing where one is refused, which they name', async () => {
      const operations = await begun(both);
      await operations.pause('people', 'ada');
      const before = await operations.all();
      const refused = 'conflict: people is paused; resume it first. Nothing was begun of the others';
      expect(await refusalOf(operations.rebuild(both, asUsual))).to.equal(refused);
      expect(await refusalOf(operations.verify(both, null))).to.equal(refused);
      expect(await operations.all()).to.deep.equal(before);
    });

    it('refuse one alone in its own words', async () => {
      const operations = await begun(both);
      await operations.pause('people', 'ada');
      expect(await refusalOf(operations.rebuild(['people'], asUsual))).to.equal(
        'conflict: people is paused; resume it first',
      );
    });
  });
});
