import { expect } from 'chai';
import type { Target } from '../../bench/figure.ts';
import type { FigureResult } from '../../bench/results.ts';
import { formatOutcome } from '../../bench/report/format.ts';
import { outcomeOf, verdictsOf } from '../../bench/targets.ts';

const target: Target = {
  says: 'share of the baseline',
  measure: 'speed',
  of: 'own',
  against: 'base',
  must: { atLeast: 0.25 },
  aim: { atLeast: 0.5 },
};

const result = (own: number, contenders: FigureResult['contenders'] = []): FigureResult => ({
  name: 'a figure',
  contenders: [{ name: 'own', samples: [{ speed: own }] }, ...contenders],
  targets: [target],
  lines: [],
});

describe('A target', () => {
  for (const [value, bound, words] of [
    [0.25, { atLeast: 0.25 }, 'met'],
    [0.2, { atLeast: 0.25 }, 'missed by 20 %'],
    [0.249, { atLeast: 0.25 }, 'missed by 0.4 %'],
    [300, { atMost: 300 }, 'met'],
    [450, { atMost: 300 }, 'missed by 50 %'],
    [900, { atMost: 300 }, 'missed by 200 %'],
  ] as const)
    it(`of ${JSON.stringify(bound)} with ${value}: ${words}`, () => {
      expect(formatOutcome(outcomeOf(value, bound))).to.equal(words);
    });

  it('is not met by what is no number', () => {
    expect(outcomeOf(NaN, { atMost: 300 }).isMet).to.equal(false);
  });

  it('may be met as far as it must be, and its aim missed', () => {
    const [verdict] = verdictsOf(result(40, [{ name: 'base', samples: [{ speed: 100 }] }]));
    expect(formatOutcome(verdict?.must)).to.equal('met');
    expect(formatOutcome(verdict?.aim)).to.equal('missed by 20 %');
  });

  it('says so when the other contender was not there', () => {
    const [verdict] = verdictsOf(result(40));
    expect(verdict?.value).to.equal(undefined);
    expect(formatOutcome(verdict?.must)).to.equal('not measured');
  });

  it('is refused when it names a measure that is not there', () => {
    const broken = { ...result(40), targets: [{ ...target, measure: 'weight' }] };
    expect(() => verdictsOf(broken)).to.throw('a figure: own has no measure weight');
  });
});
