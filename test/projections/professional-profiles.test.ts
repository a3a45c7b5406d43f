import { expect } from 'chai';
import { professionalProfiles, professionalProfilesCollection } from '../../projections/professional-profiles.ts';
import { reviewDecider, reviewIdOf } from '../../src/domain/review.ts';
import { toProfessional, toUser } from '../commands/known.ts';
import { bodies, ids, phoneNumbers, times } from '../support/examples.ts';
import { on, type Fact } from '../support/facts.ts';
import { givenEvents, phoneSet, professionalIs } from './given-events.ts';

const reviewed = (endorsed: string[], renounced: string[] = [], officeId: string = ids.office): Fact => {
  const reviewId = reviewIdOf(ids.professional, officeId, null);
  const { profession, specialty } = bodies.review;
  const by = { professionalId: ids.professional, officeId, jobId: null };
  const data = { reviewId, ...by, profession, specialty, endorsed, renounced };
  return on(reviewDecider, reviewId)({ type: 'ReviewPosted', data });
};
const settingsSet = toUser({ type: 'JobNotificationSettingsChanged', data: { userId: ids.user, ...bodies.settings } });
const onboarded = toProfessional(
  { type: 'OnboardingStatusChanged', data: { professionalId: ids.professional, status: 'verified' } },
  { at: times.now },
);
const onboarding = { status: 'verified', since: times.now };
const noReviews = { count: 0, endorsed: {}, renounced: {} };

const shown = (...facts: readonly Fact[]) =>
  givenEvents(...facts).shows(professionalProfiles, professionalProfilesCollection, ids.professional);
const reviewsOf = async (...facts: readonly Fact[]) => (await shown(...facts))?.own.reviews;

describe('The profile of a professional', () => {
  it('shows profile, onboarding, settings and reviews', async () => {
    const { endorsed, renounced } = bodies.review;
    const review = reviewed([...endorsed], [...renounced]);
    expect(await shown(professionalIs(), onboarded, settingsSet, review)).to.deep.equal({
      userId: ids.user,
      profile: { id: ids.professional, ...bodies.professional },
      settings: bodies.settings,
      own: { onboarding, reviews: { count: 1, endorsed: { prophylaxis: 1, 'x-rays': 1 }, renounced: { scaling: 1 } } },
    });
  });

  it('waits for a professional who is not known yet', async () => {
    expect(await shown(onboarded)).to.deep.equal({
      userId: null,
      profile: null,
      settings: null,
      own: { onboarding, reviews: noReviews },
    });
    expect(await shown(onboarded, settingsSet, professionalIs())).to.deep.equal(
      await shown(professionalIs(), onboarded, settingsSet),
    );
  });

  it('has the phone number that the user set, before the profile came or after', async () => {
    const own = phoneSet(phoneNumbers.wanted, times.now);
    expect((await shown(professionalIs(), own))?.profile).to.include({ phone: phoneNumbers.wanted });
    expect((await shown(own, professionalIs()))?.profile).to.include({ phone: phoneNumbers.wanted });
  });

  it('has settings and number of the user that it names now', async () => {
    const before = [professionalIs(), settingsSet, phoneSet(phoneNumbers.wanted, times.now)];
    const away = professionalIs({ userId: ids.otherUser }, times.later);
    const gone = await shown(...before, away);
    expect(gone).to.include({ userId: ids.otherUser, settings: null });
    expect(gone?.profile?.phone).to.equal(phoneNumbers.profile);
    expect((await shown(...before, away, professionalIs({}, times.later)))?.settings).to.deep.equal(bodies.settings);
  });

  it('adds up the reviews of all offices', async () => {
    const reviews = await reviewsOf(reviewed(['x-rays', 'polish']), reviewed(['x-rays'], ['polish'], ids.otherOffice));
    expect(reviews).to.deep.equal({ count: 2, endorsed: { 'x-rays': 2, polish: 1 }, renounced: { polish: 1 } });
  });

  it('forgets what a replaced review said', async () => {
    const reviews = await reviewsOf(reviewed(['x-rays', 'polish'], ['scaling']), reviewed(['x-rays']));
    expect(reviews).to.deep.equal({ count: 1, endorsed: { 'x-rays': 1 }, renounced: {} });
  });

  it('counts an entry of any name', async () => {
    const twice = [reviewed(['__proto__', 'constructor']), reviewed(['__proto__'], [], ids.otherOffice)];
    expect(Object.entries((await reviewsOf(...twice))?.endorsed ?? {})).to.deep.equal([
      ['__proto__', 2],
      ['constructor', 1],
    ]);
    expect(Object.entries((await reviewsOf(...twice, reviewed(['x-rays'])))?.endorsed ?? {})).to.deep.equal([
      ['__proto__', 1],
      ['x-rays', 1],
    ]);
  });
});
