import type { Projection } from '../../src/projector/projection.ts';
import { defineCollection } from '../../src/read-models/port.ts';
import { decode, type LibraryEvent } from './book.ts';

export const readersByBook = defineCollection<{ readonly reader: string }>({
  name: 'readers',
  partition: 'reader',
  indexes: [['reader']],
});

export const lentBooks: Projection<LibraryEvent> = {
  name: 'lent-books',
  version: 1,
  collections: [readersByBook],
  decode,
  handlers: {
    BookLent({ data: { bookId, reader } }, documents) {
      documents.put(readersByBook, bookId, { reader });
    },
  },
};
