import { expect } from 'chai';
import { reasonInFull } from '../../src/lib/reason-in-full.ts';

describe('The reason of a failure', () => {
  it('names each cause, and says once what an error repeats of its cause', () => {
    const refused = new Error('connect ECONNREFUSED');
    const selection = new Error('connect ECONNREFUSED', { cause: refused });
    const away = new Error('MongoDB does not answer', { cause: selection });
    expect(reasonInFull(away)).to.equal('MongoDB does not answer: connect ECONNREFUSED');
    expect(reasonInFull(new Error(`It is away: ${refused.message}`, { cause: refused }))).to.equal(
      'It is away: connect ECONNREFUSED',
    );
    expect(reasonInFull('no error')).to.equal('no error');
  });

  it('leaves out a cause that is no error', () => {
    expect(reasonInFull(new Error('It is refused', { cause: { claim: 'iss' } }))).to.equal('It is refused');
  });
});
