import type { BusinessDomain } from '../../src/app/options.ts';
import { projectionAdminApi } from '../../src/builds/admin-api.ts';
import { createWorkerStarter } from '../../src/lib/worker-client.ts';
import { getLentBooks } from './get-lent-books.ts';
import { lendBook } from './lend-book.ts';
import { lentBooks } from './lent-books.ts';

/** A library of books: a second business on the platform, which shows all that one consists of. */
export const library: BusinessDomain = {
  title: 'Library',
  description: 'Books and who has them.',
  commands: [lendBook],
  queries: [getLentBooks],
  admin: projectionAdminApi,
  questions: [],
  projections: [lentBooks],
  startProjector: createWorkerStarter(new URL('./projector.thread.js', import.meta.url)),
};
