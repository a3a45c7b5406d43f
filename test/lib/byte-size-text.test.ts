import { expect } from 'chai';
import { byteSizeText } from '../../src/lib/byte-size-text.ts';

describe('A number of bytes', () => {
  for (const [bytes, text] of [
    [0, '0.0 kB'],
    [4_096, '4.1 kB'],
    [19_200_000, '19.2 MB'],
    [999_960_000, '1.0 GB'],
    [5e12, '5.0 TB'],
    [5e15, '5000.0 TB'],
  ] as const)
    it(`is ${text} for ${bytes}`, () => {
      expect(byteSizeText(bytes)).to.equal(text);
    });
});
