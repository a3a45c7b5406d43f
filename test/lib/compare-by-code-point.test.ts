import { expect } from 'chai';
import { compareByCodePoint } from '../../src/lib/compare-by-code-point.ts';

const sorted = (texts: readonly string[]) => [...texts].sort(compareByCodePoint);

describe('Texts in the order of code points', () => {
  it('are ordered by their first difference', () => {
    expect(sorted(['b', 'ab', 'aa', 'B'])).to.deep.equal(['B', 'aa', 'ab', 'b']);
  });

  it('have what they begin with before them', () => {
    expect(sorted(['abc', '', 'ab', 'a'])).to.deep.equal(['', 'a', 'ab', 'abc']);
  });

  it('are equal only to themselves', () => {
    expect(compareByCodePoint('é', 'é')).to.equal(0);
    // An e and a combining accent
    expect(compareByCodePoint('é', 'e\u0301')).not.to.equal(0);
  });

  it('have what needs two code units last, unlike in JavaScript', () => {
    const [privateUse, emoji] = ['\u{e000}', '\u{1f600}'];
    expect(sorted([emoji, '\u{ffff}', privateUse, 'z', '\u{d7ff}'])).to.deep.equal([
      'z',
      '\u{d7ff}',
      privateUse,
      '\u{ffff}',
      emoji,
    ]);
    expect([privateUse, emoji].sort()).to.deep.equal([emoji, privateUse]);
  });

  it('are ordered as their UTF-8 is', () => {
    const texts = ['a', 'ä', '€', '\u{fffd}', '\u{10000}', '\u{10ffff}', 'a\u{1f600}', 'a\u{fffd}'];
    const byBytes = [...texts].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    expect(sorted(texts)).to.deep.equal(byBytes);
  });
});
