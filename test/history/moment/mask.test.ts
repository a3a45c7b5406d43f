import { Type } from '../../../src/schema/typebox.ts';
import { expect } from 'chai';
import { differInMaskVersion, maskBy, noMask, type UserIdLookup } from '../../../src/history/moment/mask.ts';
import type { JsonObject } from '../../../src/schema/json.ts';
import { nullable, object, personal } from '../../../src/schema/schema.ts';

const mask = maskBy('a secret');
const Row = object({
  userId: Type.String(),
  email: personal(nullable(Type.String()), 'userId', 'contact'),
  phone: personal(nullable(Type.String()), 'userId', 'contact'),
  picture: personal(nullable(Type.String()), 'userId', 'picture'),
  commute: nullable(object({ miles: personal(nullable(Type.Number()), 'userId', 'place') })),
  list: Type.Array(object({ name: personal(Type.String(), 'userId', 'fullName') })),
});
const row = {
  userId: 'u-ann',
  email: 'ann@example.com',
  phone: 'ann@example.com',
  picture: 'ann@example.com',
  commute: { miles: 5 },
  list: [{ name: 'Ann' }, { name: 'Lee' }],
};
const shown = (of: JsonObject = row, by = mask) => by.show(Row, of) as typeof row;

const Application = object({
  professionalId: Type.String(),
  email: personal(Type.String(), 'professionalId', 'contact'),
});
/** The mask of an address in a row that names a professional. */
const emailOf = (professionalId: string, userOf?: UserIdLookup) =>
  mask.show(Application, { professionalId, email: row.email }, userOf)['email'];

describe('A mask', () => {
  it('stands for each marked member, however deep, and for no other', () => {
    const masked = JSON.stringify(shown());
    for (const value of ['example.com', 'Ann', 'Lee', '5}']) expect(masked).to.not.include(value);
    expect(shown()).to.include({ userId: 'u-ann' });
  });

  it('is the same for the same value of one person and one kind alone', () => {
    const { email, phone, picture, list } = shown();
    expect(phone).to.equal(email);
    expect(picture).to.not.equal(email);
    expect(list[0]?.name).to.not.equal(list[1]?.name);
    expect(shown({ ...row, userId: 'u-bob' }).email).to.not.equal(email);
    expect(shown()).to.deep.equal(shown());
  });

  it('is the same for a user and the professional whose profile names it', () => {
    expect(emailOf('ann', (id) => (id === 'ann' ? 'u-ann' : undefined))).to.equal(shown().email);
  });

  it('is of the professional alone where no profile names a user', () => {
    expect(new Set([emailOf('ann'), emailOf('bob'), emailOf('u-ann'), shown().email])).to.have.property('size', 4);
  });

  it('cannot be made without the secret', () => {
    expect(shown(row, maskBy('another')).email).to.not.equal(shown().email);
  });

  it('leaves what is not known as it is', () => {
    expect(shown({ ...row, email: null, commute: null })).to.include({ email: null, commute: null });
  });

  it('is nothing where whose the value is cannot be told', () => {
    const { userId: _, ...ofNobody } = row;
    expect(shown(ofNobody).email).to.equal(null);
  });

  it('is not put in the place of what tells of a place: that is withheld, known or not', () => {
    expect(shown().commute).to.deep.equal({ miles: null });
    expect(mask.withheldFrom(Row)).to.deep.equal(['commute.miles']);
  });

  it('may be left out', () => {
    expect(noMask.show(Row, row)).to.equal(row);
    expect(noMask.withheldFrom(Row)).to.deep.equal([]);
  });

  it('has an id that tells its scheme, and its secret from another', () => {
    const [{ maskId }, another] = [mask, maskBy('another')];
    expect(maskBy('a secret').maskId).to.equal(maskId);
    expect(another.maskId).to.not.equal(maskId);
    expect(differInMaskVersion(maskId, another.maskId)).to.equal(false);
    expect(differInMaskVersion(maskId, '"masked-0123456789abcdef"')).to.equal(true);
    expect(differInMaskVersion(maskId, noMask.maskId)).to.equal(false);
  });
});
