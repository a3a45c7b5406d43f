import { savePosting } from '../../../commands/saved-postings/save-posting.ts';
import { savedPostingsDecider } from '../../../src/domain/saved-postings.ts';
import { ids, times } from '../../support/examples.ts';
import { on } from '../../support/facts.ts';
import { given } from '../../support/given.ts';
import { postingClosed, postingKnown } from '../known.ts';

const toList = on(savedPostingsDecider, ids.professional);
const facts = { professionalId: ids.professional, postingId: ids.posting };
const saved = toList({ type: 'PostingSaved', data: facts }, { at: times.start });
const unsaved = toList({ type: 'PostingUnsaved', data: facts });
const save = { as: 'professional', body: { postingId: ids.posting } } as const;
const savedAt = (at: string) => ({ status: 200, body: { postingId: ids.posting, isSaved: true, savedAt: at } });

describe('savePosting', () => {
  it('saves a posting', () => given(postingKnown).when(savePosting, save).then([saved], savedAt(times.now)));

  it('appends nothing for a saved posting, and tells when it was saved', () =>
    given(postingKnown, saved).when(savePosting, save).thenNothing(savedAt(times.start)));

  it('saves again what was taken off the list', () =>
    given(postingKnown, saved, unsaved).when(savePosting, save).then([saved], savedAt(times.now)));

  it('saves a closed posting', () =>
    given(postingKnown, postingClosed).when(savePosting, save).then([saved], savedAt(times.now)));

  it('keeps a list for each professional', () =>
    given(postingKnown, saved)
      .when(savePosting, { ...save, as: 'otherProfessional' })
      .then(
        [
          on(
            savedPostingsDecider,
            ids.otherProfessional,
          )({ type: 'PostingSaved', data: { ...facts, professionalId: ids.otherProfessional } }),
        ],
        savedAt(times.now),
      ));

  it('refuses a posting that is not known', () =>
    given().when(savePosting, save).thenRefused('not-found', 'No posting has the id in body/postingId'));

  it('refuses a user without a professional_id', () =>
    given(postingKnown)
      .when(savePosting, { ...save, as: 'office' })
      .thenRefused('forbidden', 'The token names no professional_id'));
});
