import { Type } from '../../../src/schema/typebox.ts';
import { expect } from 'chai';
import { maskBy, noMask } from '../../../src/history/moment/mask.ts';
import { nullable, object, personal } from '../../../src/schema/schema.ts';

const mask = maskBy('a secret');
const Row = object({
  id: Type.String(),
  email: personal(nullable(Type.String()), 'id'),
  contact: personal(nullable(Type.String()), 'id'),
  commute: nullable(object({ miles: personal(Type.Number(), 'id') })),
  list: Type.Array(object({ name: personal(Type.String(), 'id') })),
});
const row = {
  id: 'ann',
  email: 'ann@example.com',
  contact: 'ann@example.com',
  commute: { miles: 5 },
  list: [{ name: 'Ann' }, { name: 'Lee' }],
};

describe('A mask', () => {
  it('stands for each marked member, however deep, and for no other', () => {
    const masked = JSON.stringify(mask(Row, row));
    for (const personal of ['example.com', 'Ann', 'Lee', '5}']) expect(masked).to.not.include(personal);
    expect(mask(Row, row)).to.include({ id: 'ann' });
  });

  it('is the same for the same value alone', () => {
    const masked = mask(Row, row) as typeof row;
    expect(masked.contact).to.equal(masked.email);
    expect(masked.list[0]?.name).to.not.equal(masked.list[1]?.name);
    expect(mask(Row, row)).to.deep.equal(masked);
  });

  it('cannot be made without the secret', () => {
    expect((maskBy('another')(Row, row) as typeof row).email).to.not.equal(
      (mask(Row, row) as typeof row).email,
    );
  });

  it('leaves what is not known as it is', () => {
    expect(mask(Row, { ...row, email: null, commute: null })).to.include({ email: null, commute: null });
  });

  it('may be left out', () => {
    expect(noMask(Row, row)).to.equal(row);
  });
});
