import { closePosting } from '../../../commands/postings/close-posting.ts';
import { ids } from '../../support/examples.ts';
import { given, noContent } from '../../support/given.ts';
import { postingClosed, postingKnown } from '../known.ts';

const close = { params: { id: ids.posting } };

describe('closePosting', () => {
  it('closes a posting', () => given(postingKnown).when(closePosting, close).then([postingClosed], noContent));

  it('appends nothing when the posting is closed already', () =>
    given(postingKnown, postingClosed).when(closePosting, close).thenNothing());

  it('appends nothing when a closed posting was revised since', () =>
    given(postingKnown, postingClosed, postingKnown).when(closePosting, close).thenNothing());

  it('refuses a posting that is not known', () =>
    given().when(closePosting, close).thenRefused('not-found', 'No posting has the id in path/id'));
});
