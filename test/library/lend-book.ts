import { internalAccess } from '../../src/access/access.ts';
import { defineCommand, noContent } from '../../src/application/command.ts';
import { conflict } from '../../src/errors/domain-error.ts';
import { object } from '../../src/schema/schema.ts';
import { book, BookId, Reader } from './book.ts';

export const lendBook = defineCommand(book)({
  name: 'lendBook',
  summary: 'Lend a book to a reader',
  method: 'POST',
  path: '/internal/books/:id/lend',
  access: internalAccess,
  params: object({ id: BookId }),
  body: object({ reader: Reader }),
  prepare: ({ params: { id }, body: { reader } }) => ({ id, reader }),
  decide(state, { id, reader }) {
    if (state.reader === reader) return [];
    if (state.reader !== null) throw conflict('The book is lent to another reader');
    return [{ type: 'BookLent', data: { bookId: id, reader } }];
  },
  ...noContent,
  refusals: ['conflict'],
});
