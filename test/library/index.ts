import type { Domain } from '../../src/app/options.ts';
import { projectionAdmin } from '../../src/builds/admin.ts';
import { workerOf } from '../../src/lib/worker-client.ts';
import { getLentBooks } from './get-lent-books.ts';
import { lendBook } from './lend-book.ts';
import { lentBooks } from './lent-books.ts';

/** A library of books: a second business on the platform, which shows all that one consists of. */
export const library: Domain = {
  title: 'Library',
  description: 'Books and who has them.',
  commands: [lendBook],
  queries: [getLentBooks],
  admin: projectionAdmin,
  questions: [],
  projections: [lentBooks],
  startProjector: workerOf(new URL('./projector.thread.js', import.meta.url)),
};
