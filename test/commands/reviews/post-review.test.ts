import { postReview } from '../../../commands/reviews/post-review.ts';
import { reviewDecider, reviewIdOf } from '../../../src/domain/review.ts';
import { bodies, ids, type claims } from '../../support/examples.ts';
import { on } from '../../support/facts.ts';
import { given, noContent } from '../../support/given.ts';
import { postingKnown, professionalKnown, toPosting } from '../known.ts';

/** UUIDv5 of professional, office and job, in the reviews' namespace. */
const reviewIds = {
  office: 'dfece2db-4214-54ff-81d0-8b3eb19bca90',
  officeWithoutJob: 'a5b2a183-4abe-5cc3-80a1-96e6958b69c1',
  adminWithoutJob: '56fbeb9e-9054-58a5-a4a4-0c9a2751f9d4',
  /** Of an office whose id is `admin`. */
  officeAdminWithoutJob: reviewIdOf(ids.professional, 'admin', null),
};
const { jobID, ...verdict } = bodies.review;
const data = { ...verdict, professionalId: ids.professional };
const posted = (reviewId: string, officeId: string, jobId: string | null, more: Partial<typeof replacement> = {}) =>
  on(reviewDecider, reviewId)({ type: 'ReviewPosted', data: { ...data, reviewId, officeId, jobId, ...more } });
const replacement = { endorsed: ['scaling'], renounced: [] as string[] };

const ofOffice = posted(reviewIds.office, ids.office, ids.posting);
const ofOfficeWithoutJob = posted(reviewIds.officeWithoutJob, ids.office, null);
const ofAdminWithoutJob = posted(reviewIds.adminWithoutJob, 'admin', null);

const post = (body: object = bodies.review, as: keyof typeof claims = 'office') => ({
  as,
  params: { id: ids.professional },
  body,
});
const known = [professionalKnown, postingKnown];

describe('postReview', () => {
  it("is the office's, with one of its postings", () =>
    given(...known)
      .when(postReview, post())
      .then([ofOffice], noContent));

  it("is the office's without a posting too, in a slot of its own", () =>
    given(...known, ofOffice)
      .when(postReview, post(verdict))
      .then([ofOfficeWithoutJob], noContent));

  for (const as of ['admin', 'adminWithOffice'] as const) {
    it(`is the posting's office's for ${as}`, () =>
      given(...known)
        .when(postReview, post(bodies.review, as))
        .then([ofOffice], noContent));

    it(`is admin's without a posting for ${as}`, () =>
      given(...known)
        .when(postReview, post(verdict, as))
        .then([ofAdminWithoutJob], noContent));
  }

  describe('of an office whose id is admin', () => {
    const ofOfficeAdmin = posted(reviewIds.officeAdminWithoutJob, 'admin', null);

    it('has a slot of its own beside that of the administrators', () =>
      given(...known, ofAdminWithoutJob)
        .when(postReview, post(verdict, 'officeAdmin'))
        .then([ofOfficeAdmin], noContent));

    it('is not replaced by one of an administrator, whose earlier one is, as in older logs', () =>
      given(...known, ofAdminWithoutJob, ofOfficeAdmin)
        .when(postReview, post({ ...verdict, ...replacement }, 'admin'))
        .then([posted(reviewIds.adminWithoutJob, 'admin', null, replacement)], noContent));

    it('shares the slot of its posting with an administrator, like that of any office', async () => {
      const reviewId = reviewIdOf(ids.professional, 'admin', ids.posting);
      const own = toPosting({
        type: 'PostingRecorded',
        data: { postingId: ids.posting, ...bodies.posting, officeId: 'admin' },
      });
      const ofPosting = posted(reviewId, 'admin', ids.posting);
      await given(professionalKnown, own)
        .when(postReview, post(bodies.review, 'officeAdmin'))
        .then([ofPosting], noContent);
      await given(professionalKnown, own, ofPosting).when(postReview, post(bodies.review, 'admin')).thenNothing();
    });
  });

  it('appends nothing when it is the same again', () =>
    given(...known, ofOffice)
      .when(postReview, post())
      .thenNothing());

  it("appends nothing when an administrator repeats the office's", () =>
    given(...known, ofOffice)
      .when(postReview, post(bodies.review, 'admin'))
      .thenNothing());

  it('replaces the one before', () =>
    given(...known, ofOffice)
      .when(postReview, post({ ...bodies.review, ...replacement }))
      .then([posted(reviewIds.office, ids.office, ids.posting, replacement)], noContent));

  it('appends the first again after another replaced it', () =>
    given(...known, ofOffice, posted(reviewIds.office, ids.office, ids.posting, replacement))
      .when(postReview, post())
      .then([ofOffice], noContent));

  it('takes entries on one side alone, null for left out, and no specialty', () =>
    given(...known)
      .when(postReview, post({ endorsed: null, renounced: ['scaling'], profession: 'hygienist', specialty: null }))
      .then(
        [
          on(
            reviewDecider,
            reviewIds.officeWithoutJob,
          )({
            type: 'ReviewPosted',
            data: {
              reviewId: reviewIds.officeWithoutJob,
              professionalId: ids.professional,
              officeId: ids.office,
              jobId: null,
              profession: 'hygienist',
              specialty: null,
              endorsed: [],
              renounced: ['scaling'],
            },
          }),
        ],
        noContent,
      ));

  for (const body of [{ profession: 'hygienist' }, { profession: 'hygienist', endorsed: [], renounced: [] }])
    it(`refuses ${JSON.stringify(body)}, which has no entry`, () =>
      given(...known)
        .when(postReview, post(body))
        .thenRefused('invalid', 'body must have an entry in endorsed or renounced'));

  it('refuses entries that are endorsed and renounced, and names them', () =>
    given(...known)
      .when(postReview, post({ ...bodies.review, endorsed: ['x-rays', 'scaling'], renounced: ['scaling', 'x-rays'] }))
      .thenRefused('invalid', 'body/renounced must not repeat what is endorsed: x-rays, scaling'));

  for (const side of ['endorsed', 'renounced'])
    it(`refuses an entry that is ${side} twice`, () =>
      given(...known)
        .when(postReview, post({ profession: 'hygienist', [side]: ['scaling', 'scaling'] }))
        .thenRefused('invalid', `body/${side} must not hold the same entry twice`));

  it('refuses a review without a profession', () =>
    given(...known)
      .when(postReview, post({ endorsed: ['scaling'] }))
      .thenRefused('invalid', 'body/profession is required'));

  it('refuses a professional who is not known', () =>
    given(postingKnown).when(postReview, post()).thenRefused('not-found', 'No professional has the id in path/id'));

  it("refuses another office's posting", () =>
    given(...known)
      .when(postReview, post({ ...bodies.review, jobID }, 'otherOffice'))
      .thenRefused('forbidden', "The posting in body/jobID is not the office's"));

  it("answers an office with an unknown posting as with another office's", () =>
    given(professionalKnown)
      .when(postReview, post())
      .thenRefused('forbidden', "The posting in body/jobID is not the office's"));

  for (const as of ['admin', 'adminWithOffice'] as const)
    it(`tells ${as} that a posting is not known`, () =>
      given(professionalKnown)
        .when(postReview, post(bodies.review, as))
        .thenRefused('not-found', 'No posting has the id in body/jobID'));

  it('refuses a user who is neither an office nor an administrator', () =>
    given(...known)
      .when(postReview, post(bodies.review, 'professional'))
      .thenRefused('forbidden', 'The token names no office_id and no role admin'));
});
