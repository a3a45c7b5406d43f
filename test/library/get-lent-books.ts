import { internalAccess } from '../../src/access/access.ts';
import { defineQuery } from '../../src/application/query.ts';
import { object } from '../../src/schema/schema.ts';
import { Type } from '../../src/schema/typebox.ts';
import { BookId, Reader } from './book.ts';
import { lentBooks, readersByBook } from './lent-books.ts';

export const getLentBooks = defineQuery({
  name: 'getLentBooks',
  summary: 'List the books that a reader has at home',
  path: '/internal/readers/:reader/books',
  access: internalAccess,
  params: object({ reader: Reader }),
  parameters: object({}),
  reads: [lentBooks],
  response: object({ data: Type.Array(object({ id: BookId }, { title: 'Book' })) }, { title: 'BookList' }),
  refusals: [],
  async find({ params: { reader } }, readModels) {
    const found = await readModels.find(readersByBook, { filter: { reader }, order: [['id', 'ascending']] });
    return { data: found.map(({ id }) => ({ id })) };
  },
});
