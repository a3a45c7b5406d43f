import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { estimateEntropyBits } from '../../src/config/secret-strength.ts';

describe('the strength of a secret', () => {
  it('is the length times the bits of a character', () => {
    expect(estimateEntropyBits('0123456789abcdef')).to.equal(64);
    expect(estimateEntropyBits('9f86d081884c7d659a2feaa0c55ad015')).to.equal(128);
    expect(estimateEntropyBits('31415926535897932384626433832795')).to.be.closeTo(32 * Math.log2(10), 0.01);
  });

  it('is 128 bits or more for random text of 32 characters, in hexadecimal or base64', () => {
    for (let round = 0; round < 1_000; round += 1) {
      const bytes = createHash('sha256').update(`round ${round}`).digest();
      for (const text of [bytes.subarray(0, 16).toString('hex'), bytes.subarray(0, 24).toString('base64')])
        expect(estimateEntropyBits(text), text).to.be.at.least(128);
    }
  });

  for (const weak of [
    'a'.repeat(200),
    'ab'.repeat(100),
    'abba'.repeat(16) + 'baab'.repeat(16),
    'password'.repeat(8),
    'Changeme!'.repeat(10),
    '0123456789'.repeat(10),
    '31415926535897932384626433832795',
    '0123456789abcdef'.repeat(4),
    'correct horse',
  ])
    it(`is less than 128 bits: ${weak.slice(0, 40)}`, () => {
      expect(estimateEntropyBits(weak)).to.be.below(128);
    });
});
