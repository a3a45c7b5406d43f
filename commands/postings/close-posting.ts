import { internalAccess } from '../../src/access/access.ts';
import { defineCommand, noContent } from '../../src/application/command.ts';
import { postingDecider } from '../../src/domain/posting.ts';
import { notFound } from '../../src/errors/domain-error.ts';
import { Identifier, object } from '../../src/schema/schema.ts';

/** Closes a posting for good. Its open candidates are shown closed by `applyPostingClosing`, in the domain. */
export const closePosting = defineCommand(postingDecider)({
  name: 'closePosting',
  summary: 'Close a posting',
  method: 'POST',
  path: '/internal/postings/:id/close',
  access: internalAccess,
  params: object({ id: Identifier }),
  body: object({}),
  prepare: ({ params: { id } }) => ({ id }),
  decide({ facts, isClosed }, { id }) {
    if (!facts) throw notFound('No posting has the id in path/id');
    return isClosed ? [] : [{ type: 'PostingClosed', data: { postingId: id } }];
  },
  ...noContent,
  refusals: ['not-found'],
});
