import { expect } from 'chai';
import type { Contender, Figure, Sample } from '../../bench/figure.ts';
import { measureFigure } from '../../bench/rounds.ts';
import { spreadOf } from '../../bench/statistics.ts';
import { verdictsOf } from '../../bench/targets.ts';
import { rejectionOf } from '../support/refusal-of.ts';

/** Contenders that give what they are told, and tell in which order they were asked. */
const stage = (values: Readonly<Record<string, readonly number[]>>) => {
  const order: string[] = [];
  const contenders = Object.entries(values).map(([name, given]): Contender => {
    let next = 0;
    return {
      name,
      measure: () => {
        order.push(name);
        const value = given[next++];
        return value === undefined
          ? Promise.reject(new Error(`${name} was measured too often`))
          : Promise.resolve({ speed: value });
      },
    };
  });
  return { order, contenders };
};

const figureOf = (contenders: readonly Contender[], more: Partial<Figure> = {}): Figure => ({
  name: 'a figure',
  contenders,
  targets: [],
  warmsUp: false,
  ...more,
});

describe('The rounds of a figure', () => {
  it('take turns, and go backwards in every other round', async () => {
    const { order, contenders } = stage({ a: [1, 2, 3], b: [1, 2, 3], c: [1, 2, 3] });
    await measureFigure(figureOf(contenders), 3);
    expect(order.join('')).to.equal('abc' + 'cba' + 'abc');
  });

  it('do not count the warm-up', async () => {
    const { order, contenders } = stage({ a: [99, 1, 2], b: [99, 3, 4] });
    const told: Sample[] = [];
    const { contenders: results } = await measureFigure(
      figureOf(contenders, { warmsUp: true }),
      2,
      (_figure, _contender, round, sample) => (round === 0 ? told.push(sample) : undefined),
    );
    expect(results).to.deep.equal([
      { name: 'a', samples: [{ speed: 1 }, { speed: 2 }] },
      { name: 'b', samples: [{ speed: 3 }, { speed: 4 }] },
    ]);
    expect(order).to.have.length(6);
    expect(told).to.deep.equal([{ speed: 99 }, { speed: 99 }]);
  });

  it('are as many as the figure allows', async () => {
    const { contenders } = stage({ a: [1] });
    const { contenders: results } = await measureFigure(figureOf(contenders, { rounds: 1 }), 5);
    expect(results[0]?.samples).to.have.length(1);
  });

  it('fail when a contender fails', async () => {
    const { contenders } = stage({ a: [1] });
    const failure = await rejectionOf(measureFigure(figureOf(contenders), 2));
    expect(failure).to.be.an('error').with.property('message', 'a was measured too often');
  });

  it('make ratios of what was measured in the same round, then take the median', async () => {
    // The medians alone would say 20 / 20 = 1.
    const { contenders } = stage({ own: [10, 20, 40], base: [20, 10, 40] });
    const figure = figureOf(contenders, {
      targets: [{ says: 'ratio', measure: 'speed', of: 'own', against: 'base', must: { atLeast: 1 } }],
    });
    const [verdict] = verdictsOf(await measureFigure(figure, 3));
    expect(verdict?.value).to.deep.equal({ median: 1, least: 0.5, most: 2 });
  });
});

describe('A spread', () => {
  it('has the middle of the values in order, whatever order they came in', () => {
    expect(spreadOf([10, 9, 100])).to.deep.equal({ median: 10, least: 9, most: 100 });
  });

  it('has the mean of the two in the middle when they are even', () => {
    expect(spreadOf([4, 1, 2, 8])).to.deep.equal({ median: 3, least: 1, most: 8 });
  });

  it('is refused for no values', () => {
    expect(() => spreadOf([])).to.throw(RangeError);
  });
});
