import { unsavePosting } from '../../../commands/saved-postings/unsave-posting.ts';
import { savedPostingsDecider } from '../../../src/domain/saved-postings.ts';
import { ids } from '../../support/examples.ts';
import { on } from '../../support/facts.ts';
import { given } from '../../support/given.ts';
import { postingKnown } from '../known.ts';

const toList = on(savedPostingsDecider, ids.professional);
const facts = { professionalId: ids.professional, postingId: ids.posting };
const saved = toList({ type: 'PostingSaved', data: facts });
const unsaved = toList({ type: 'PostingUnsaved', data: facts });
const unsave = { as: 'professional', body: { postingId: ids.posting } } as const;
const isOff = { status: 200, body: { postingId: ids.posting, isSaved: false } };

describe('unsavePosting', () => {
  it('takes a posting off the list', () =>
    given(postingKnown, saved).when(unsavePosting, unsave).then([unsaved], isOff));

  it('appends nothing when it was taken off already', () =>
    given(postingKnown, saved, unsaved).when(unsavePosting, unsave).thenNothing(isOff));

  it('appends nothing for a posting that was never saved', () =>
    given(postingKnown).when(unsavePosting, unsave).thenNothing(isOff));

  it('appends nothing for a posting that is not known', () => given().when(unsavePosting, unsave).thenNothing(isOff));

  it("leaves another professional's list alone", () =>
    given(postingKnown, saved)
      .when(unsavePosting, { ...unsave, as: 'otherProfessional' })
      .thenNothing(isOff));

  it('refuses a user without a professional_id', () =>
    given()
      .when(unsavePosting, { ...unsave, as: 'office' })
      .thenRefused('forbidden', 'The token names no professional_id'));
});
