import { Identifier } from '../../src/schema/schema.ts';
import type { Decider } from '../../src/streams/decider.ts';
import { createDecoder } from '../../src/streams/decode.ts';
import { defineEvent, type EventOf } from '../../src/streams/events.ts';

export const BookId = { ...Identifier, examples: ['emma'] };
export const Reader = { ...Identifier, examples: ['ann'] };

const bookEvents = [defineEvent('BookLent', 'A reader took a book home.', { bookId: BookId, reader: Reader })] as const;

interface BookState {
  /** Null before the book was lent. */
  readonly reader: string | null;
}

export const book: Decider<BookState, typeof bookEvents> = {
  category: 'book',
  events: bookEvents,
  initialState: { reader: null },
  evolve: (_state, { data: { reader } }) => ({ reader }),
};

export type LibraryEvent = EventOf<(typeof bookEvents)[number]>;
export const decode = createDecoder(bookEvents);
