import type { Documents } from '../../src/projection.ts';
import type { Collection } from '../../src/read-models/port.ts';

/** A document that keeps, beside what it shows, the facts of its own that it is made from. */
export interface Shown<Own> {
  readonly own: Own;
}

/**
 * A collection whose documents are made anew from their own facts and from what others say, whenever either changes.
 * What a document shows in the end therefore depends on the last of each, and not on the order in which they came.
 *
 * @param render makes the document from its own facts; it looks up the rest
 * @param rendered told of each change of a document, to keep what is counted over them. A document that already holds
 *   the event is not changed by it; what is counted is stored before it, so it holds the event too.
 */
export const viewOf = <Own, Doc extends Shown<Own>>(
  collection: Collection<Doc>,
  render: (id: string, own: Own, documents: Documents) => Promise<Doc>,
  rendered: (before: Doc | undefined, after: Doc | undefined, documents: Documents) => Promise<void> = () =>
    Promise.resolve(),
) => {
  const set = async (id: string, own: Own, documents: Documents): Promise<void> => {
    const before = await documents.get(collection, id);
    const after = await render(id, own, documents);
    if (documents.put(collection, id, after)) await rendered(before, after, documents);
  };
  return {
    set,
    ownOf: async (id: string, documents: Documents): Promise<Own | undefined> =>
      (await documents.get(collection, id))?.own,
    async refresh(id: string, documents: Documents): Promise<void> {
      const doc = await documents.get(collection, id);
      if (doc) await set(id, doc.own, documents);
    },
    async refreshAll(column: keyof Doc & string, value: string, documents: Documents): Promise<void> {
      for (const { id, doc } of await documents.find(collection, column, value))
        await set(id, doc.own, documents);
    },
    async remove(id: string, documents: Documents): Promise<void> {
      const before = await documents.get(collection, id);
      if (!before) return;
      if (documents.remove(collection, id)) await rendered(before, undefined, documents);
    },
  };
};
