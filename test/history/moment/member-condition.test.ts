import { expect } from 'chai';
import { matchesCondition, parseWhere } from '../../../src/history/moment/member-condition.ts';
import { refusalOf } from '../../support/refusal-of.ts';

const refusal = async (text: string): Promise<string> =>
  (await refusalOf(new Promise((resolve) => resolve(parseWhere(text, false))))).message;

describe('A condition on a member', () => {
  for (const [text, path, value] of [
    ['data.postingId=p1', ['postingId'], 'p1'],
    ['data.from.latitude=30.2', ['from', 'latitude'], '30.2'],
    ['data.title=a=b', ['title'], 'a=b'],
    ['data.specialty=', ['specialty'], ''],
  ] as const)
    it(`${text} is read`, () => {
      expect(parseWhere(text, true)).to.deep.equal({ path, value });
    });

  for (const text of ['postingId=p1', 'data.postingId', 'data.=x', 'metadata.actor=x', ''])
    it(`'${text}' is refused, and what is allowed is said`, async () => {
      expect(await refusal(text)).to.match(/allowed: data\.<member>=<value>$/);
    });

  it('on a member that no event has is refused', async () => {
    for (const text of ['data.nothing=1', 'data.constructor=1', 'data.postingId.length=2'])
      expect(await refusal(text)).to.match(/^No event has a member data\./);
  });

  it('on a personal member is refused where masks are shown: its values could be found by trying', async () => {
    for (const text of ['data.firstName=Ann', 'data.from.latitude=30.2'])
      expect(await refusal(text)).to.match(/ is a personal member; /);
    expect(parseWhere('data.firstName=Ann', true).value).to.equal('Ann');
  });

  it('holds for texts, numbers, truth values and null by what they are as text', () => {
    const data = { a: 'x', b: 1.5, c: true, d: null, e: { f: 'y' } };
    const holds = (path: string, value: string) => matchesCondition(data, { path: path.split('.'), value });
    expect([holds('a', 'x'), holds('b', '1.5'), holds('c', 'true'), holds('d', 'null')]).to.deep.equal([
      true,
      true,
      true,
      true,
    ]);
    expect(holds('e.f', 'y')).to.equal(true);
    expect([holds('a', 'y'), holds('g', ''), holds('g', 'undefined'), holds('e', 'y')]).to.deep.equal([
      false,
      false,
      false,
      false,
    ]);
  });
});
