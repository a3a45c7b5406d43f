import { expect } from 'chai';
import { DocumentCache } from '../../src/projector/document-source.ts';
import { defineCollection } from '../../src/read-models/port.ts';

const things = defineCollection<{ readonly number: number }>({ name: 'things', partition: 'id', indexes: [] });
const known = (number: number) => ({ doc: { number } });

describe('The cache of documents', () => {
  it('keeps what was used last, and lets go of the rest', () => {
    const cache = new DocumentCache();
    for (let number = 0; number < 100_000; number++) {
      cache.set(things, `n${number}`, known(number));
      cache.get(things, 'n0');
    }
    expect(cache.get(things, 'n99999')).to.deep.equal(known(99_999));
    expect(cache.get(things, 'n0')).to.deep.equal(known(0));
    expect(cache.get(things, 'n1')).to.equal(undefined);
  });

  it('remembers that there is no document', () => {
    const cache = new DocumentCache();
    cache.set(things, 'none', { doc: null, partition: 'there' });
    expect(cache.get(things, 'none')).to.deep.equal({ doc: null, partition: 'there' });
  });
});
