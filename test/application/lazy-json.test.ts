import { expect } from 'chai';
import fc from 'fast-check';
import { LazyJson, encodeJsonBody } from '../../src/application/lazy-json.ts';

describe('encodeJsonBody', () => {
  it('writes what JSON.stringify writes, lists of texts as the values that they were made of', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue()), fc.dictionary(fc.string(), fc.jsonValue()), (list, rest) => {
        const bytes = encodeJsonBody({
          ...rest,
          list: list.map((value) => new LazyJson(() => value)),
          none: undefined,
        });
        expect(bytes.toString()).to.equal(JSON.stringify({ ...rest, list, none: undefined }));
      }),
    );
  });
});

describe('A JSON text', () => {
  it('keeps no more memory than it needs', () => {
    const { bytes } = new LazyJson(() => ({ name: 'Zoë' }));
    expect(bytes.toString()).to.equal('{"name":"Zoë"}');
    expect(bytes.buffer.byteLength).to.equal(bytes.length);
  });
});
