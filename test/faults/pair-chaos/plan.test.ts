import { expect } from 'chai';
import { planOf, type Plan } from './plan.ts';
import { poisonKinds } from './settings.ts';
import type { Actor } from './work-plan.ts';

const SEEDS = Array.from({ length: 400 }, (_, seed) => seed);
const plans = (): Plan[] => SEEDS.map((seed) => planOf(seed, poisonKinds));
const streamsOf = ({ writes }: Actor): string[] => [
  ...new Set(writes.flatMap(({ marks }) => marks.map(({ stream }) => stream))),
];

describe('A plan of chaos', () => {
  it('is the same for the same seed, and another for another one', () => {
    expect(planOf(7, poisonKinds)).to.deep.equal(planOf(7, poisonKinds));
    expect(planOf(7, poisonKinds)).not.to.deep.equal(planOf(8, poisonKinds));
  });

  it('has the same faults and the same work whatever poison is allowed', () => {
    for (const seed of SEEDS) {
      const [all, none] = [planOf(seed, poisonKinds), planOf(seed, [])];
      const names = ({ work }: Plan) => work.actors.map(({ name, writes }) => [name, writes.length]);
      expect(none.faults, `seed ${seed}`).to.deep.equal(all.faults);
      expect(names(none), `seed ${seed}`).to.deep.equal(names(all));
    }
  });

  it('has each stream written by one actor, so that its order is known', () => {
    for (const { seed, work, poison } of plans()) {
      const streams = [...work.actors.flatMap(streamsOf), ...poison.spoiled.map(({ stream }) => stream)];
      expect(new Set(streams).size, `seed ${seed}`).to.equal(streams.length);
    }
  });

  it('leaves two instances their connections, and ends within the time of a run', () => {
    for (const { seed, faults } of plans()) {
      const lasting = faults.filter((fault) => fault.kind === 'cut' && fault.forMs === 'rest');
      expect(lasting.length, `seed ${seed}`).to.be.at.most(1);
      for (const { atMs } of faults) expect(atMs, `seed ${seed}`).to.be.lessThan(3_000);
    }
  });

  it('comes to every kind of fault, poison and crowd in some hundred seeds', () => {
    const all = plans();
    const seen = (values: readonly unknown[]) => [...new Set(values)].sort();
    expect(seen(all.flatMap(({ faults }) => faults.map(({ kind }) => kind)))).to.deep.equal([
      'cut',
      'foreign',
      'gap',
      'kill',
      'late',
      'pause',
      'scavenge',
      'server kill',
    ]);
    expect(
      seen(all.flatMap(({ poison }) => poison.spoiled.flatMap(({ events }) => events.flatMap((e) => e.poison ?? [])))),
    ).to.deep.equal(['bare', 'newer', 'shape']);
    expect(all.some(({ poison }) => poison.faulty.length > 0)).to.equal(true);
    expect(seen(all.map(({ crowd }) => crowd.size))).to.deep.equal([0, 1_500, 300, 7_000]);
  });
});
