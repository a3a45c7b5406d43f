import type { Documents } from './projection.ts';
import type { Collection } from './read-models/port.ts';
import type { UnitOfWork } from './unit-of-work.ts';

type Handle = (documents: Documents) => Promise<void>;

/** Documents that take no effect; they note what would be read, and take it for absent. */
const rehearsing = (documents: UnitOfWork) => {
  const wanted = new Map<Collection, Set<string>>();
  let wants = 0;
  const own: Documents = {
    get<Doc extends object>(collection: Collection<Doc>, id: string) {
      const known = documents.known(collection, id);
      if (!known) {
        wants++;
        wanted.set(collection, (wanted.get(collection) ?? new Set()).add(id));
      }
      // What a collection holds was stored as its documents.
      return Promise.resolve((known?.doc ?? undefined) as Doc | undefined);
    },
    ids: () => Promise.resolve([]),
    async *pages() {
      // Nothing is found, so that nothing is rendered.
    },
    put: () => undefined,
    remove: () => undefined,
  };
  return { own, wanted, wants: () => wants };
};

/**
 * Reads at once what some handlers would read one by one, by running them without effect.
 *
 * @returns those for which something was read: with it, they may want more
 */
export const rehearse = async (
  documents: UnitOfWork,
  handlers: readonly Handle[],
): Promise<readonly Handle[]> => {
  const { own, wanted, wants } = rehearsing(documents);
  const wanting: Handle[] = [];
  for (const handle of handlers) {
    const before = wants();
    // One that fails on what is not there will be run in earnest, and tell.
    await handle(own).catch(() => undefined);
    if (wants() > before) wanting.push(handle);
  }
  await Promise.all([...wanted].map(([collection, ids]) => documents.read(collection, [...ids])));
  return wanting;
};
