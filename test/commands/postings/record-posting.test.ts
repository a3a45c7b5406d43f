import { recordPosting } from '../../../commands/postings/record-posting.ts';
import { bodies, ids } from '../../support/examples.ts';
import { given, noContent } from '../../support/given.ts';
import { postingClosed, postingKnown, toPosting } from '../known.ts';
import { inOtherOrder } from '../other-order.ts';

const put = (body: unknown) => ({ params: { id: ids.posting }, body });
const short = { officeId: ids.office, title: 'Hygienist', profession: 'hygienist' };
const shortRecorded = {
  postingId: ids.posting,
  ...short,
  description: null,
  professionName: null,
  subProfession: null,
  subProfessionName: null,
  specialty: null,
  state: null,
  benefits: [],
  benefitsOther: null,
  procedures: [],
  salaryRange: null,
  schedule: null,
};

describe('recordPosting', () => {
  it('records a posting, of an office that need not be known yet', () =>
    given().when(recordPosting, put(bodies.posting)).then([postingKnown], noContent));

  it('appends nothing for the same content with its members in another order', () =>
    given(postingKnown)
      .when(recordPosting, put(inOtherOrder(bodies.posting)))
      .thenNothing());

  it('replaces the whole fact: what is left out is null, and lists are empty', () =>
    given(postingKnown)
      .when(recordPosting, put(short))
      .then([toPosting({ type: 'PostingRecorded', data: shortRecorded })], noContent));

  it('takes null for left out, within objects too', () =>
    given()
      .when(recordPosting, put({ ...short, benefits: null, salaryRange: { min: 40, max: null }, schedule: {} }))
      .then(
        [
          toPosting({
            type: 'PostingRecorded',
            data: {
              ...shortRecorded,
              salaryRange: { min: 40, max: null, payType: null, yearly: null },
              schedule: { expectedDays: [], type: null },
            },
          }),
        ],
        noContent,
      ));

  it('tells a list in another order from the same', () => {
    const benefits = { benefits: ['Dental', 'Health'] };
    const turned = { benefits: ['Health', 'Dental'] };
    return given(toPosting({ type: 'PostingRecorded', data: { ...shortRecorded, ...benefits } }))
      .when(recordPosting, put({ ...short, ...turned }))
      .then([toPosting({ type: 'PostingRecorded', data: { ...shortRecorded, ...turned } })], noContent);
  });

  it('revises the facts of a closed posting', () =>
    given(postingKnown, postingClosed)
      .when(recordPosting, put(short))
      .then([toPosting({ type: 'PostingRecorded', data: shortRecorded })], noContent));

  it('appends nothing for the same content of a closed posting', () =>
    given(postingKnown, postingClosed).when(recordPosting, put(bodies.posting)).thenNothing());

  it('takes a salary whose least is its most', () => {
    const salaryRange = { min: 50, max: 50, payType: null, yearly: null };
    return given()
      .when(recordPosting, put({ ...short, salaryRange }))
      .then([toPosting({ type: 'PostingRecorded', data: { ...shortRecorded, salaryRange } })], noContent);
  });

  it('refuses a salary whose least is over its most', () =>
    given()
      .when(recordPosting, put({ ...short, salaryRange: { min: 51, max: 50 } }))
      .thenRefused('invalid', 'body/salaryRange/min must be <= max'));

  for (const name of ['officeId', 'title', 'profession'])
    it(`refuses a posting without ${name}`, () =>
      given()
        .when(recordPosting, put({ ...short, [name]: null }))
        .thenRefused('invalid', `body/${name} is required`));

  it('refuses a day that is expected twice', () =>
    given()
      .when(recordPosting, put({ ...short, schedule: { expectedDays: [1, 1] } }))
      .thenRefused('invalid', 'body/schedule/expectedDays must not hold the same entry twice'));
});
