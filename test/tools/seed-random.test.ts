import { expect } from 'chai';
import {
  pickByShare,
  pickSome,
  sfc32,
  weightedOffsets,
  rangeAt,
  rangeIndexOf,
  randomInteger,
} from '../../src/tools/seed/random.ts';

const draw = (count: number) => Array.from({ length: count }, (_, index) => index);

describe('The numbers of the seed', () => {
  it('are the same for the same seeds', () => {
    const [one, other] = [sfc32(1, 2, 3, 4), sfc32(1, 2, 3, 4)];
    expect(draw(100).map(() => one())).to.deep.equal(draw(100).map(() => other()));
  });

  it('differ between neighbouring seeds', () => {
    const firsts = draw(1_000).map((index) => sfc32(1, 2, index, 4)());
    expect(new Set(firsts).size).to.equal(1_000);
    expect(firsts.filter((number) => number < 0.5).length).to.be.within(430, 570);
  });

  it('are whole from the least to the most, both included', () => {
    const random = sfc32(1, 2, 3, 4);
    expect([...new Set(draw(1_000).map(() => randomInteger(random, -1, 2)))].sort()).to.deep.equal([-1, 0, 1, 2]);
  });

  it('pick as many items as asked, in their order', () => {
    const random = sfc32(1, 2, 3, 4);
    const picked = draw(200).map(() => pickSome(random, draw(10), 4));
    expect(picked.filter((items) => new Set(items).size !== 4)).to.deep.equal([]);
    expect(picked.filter((items) => items.some((item, index) => item < (items[index - 1] ?? 0)))).to.deep.equal([]);
    expect(new Set(picked.flat()).size).to.equal(10);
  });

  it('pick items by their shares', () => {
    const random = sfc32(1, 2, 3, 4);
    const items = [{ share: 3 }, { share: 0 }, { share: 1 }];
    const counts = items.map(() => 0);
    for (const _ of draw(4_000)) {
      const index = items.indexOf(pickByShare(random, items));
      counts[index] = (counts[index] ?? 0) + 1;
    }
    expect(counts[0]).to.be.within(2_850, 3_150);
    expect(counts[1]).to.equal(0);
  });

  it('split numbers by weights, each at least once, and find each again', () => {
    const starts = weightedOffsets(100, [3, 0, 1], 2);
    expect([0, 1, 2].map((index) => rangeAt(starts, index))).to.deep.equal([
      { from: 0, size: 73 },
      { from: 73, size: 2 },
      { from: 75, size: 25 },
    ]);
    expect([0, 72, 73, 74, 75, 99].map((number) => rangeIndexOf(starts, number))).to.deep.equal([0, 0, 1, 1, 2, 2]);
  });
});
