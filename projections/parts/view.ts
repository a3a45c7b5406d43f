import { allSettled } from '../../src/all-settled.ts';
import type { Documents } from '../../src/projection.ts';
import type { Collection } from '../../src/read-models/port.ts';

/**
 * A collection whose documents are made anew from their own facts and from what others say, whenever either changes.
 * What a document shows in the end therefore depends on the last of each, and not on the order in which they came.
 */
export interface View<Own, Doc extends object> {
  readonly collection: Collection<Doc>;
  /** The own facts that a document was made from. */
  readonly ownOf: (doc: Doc) => Own;
  /**
   * Makes the document from its own facts. It looks up the rest, or takes it from `kept`: the document as it was, given
   * when only its own facts have changed.
   */
  readonly render: (id: string, own: Own, documents: Documents, kept: Doc | undefined) => Promise<Doc>;
  /** Told of each change of a document, to keep what is counted over them: both are stored together. */
  readonly rendered?: (
    before: Doc | undefined,
    after: Doc | undefined,
    documents: Documents,
  ) => Promise<void>;
}

export const viewOf = <Own, Doc extends object>({
  collection,
  ownOf,
  render,
  rendered = () => Promise.resolve(),
}: View<Own, Doc>) => {
  const replace = async (id: string, before: Doc | undefined, after: Doc, documents: Documents) => {
    documents.put(collection, id, after);
    await rendered(before, after, documents);
  };
  return {
    async set(id: string, own: Own, documents: Documents): Promise<void> {
      const before = await documents.get(collection, id);
      await replace(id, before, await render(id, own, documents, before), documents);
    },
    async ownOf(id: string, documents: Documents): Promise<Own | undefined> {
      const doc = await documents.get(collection, id);
      return doc && ownOf(doc);
    },
    async refresh(id: string, documents: Documents): Promise<void> {
      const doc = await documents.get(collection, id);
      if (doc) await replace(id, doc, await render(id, ownOf(doc), documents, undefined), documents);
    },
    async refreshAll(column: keyof Doc & string, value: string, documents: Documents): Promise<void> {
      for await (const page of documents.pages(collection, column, value)) {
        // All at once: a store that is asked over the network is then asked once.
        const rendering = page.map(async ({ id, doc }) => ({
          id,
          before: doc,
          after: await render(id, ownOf(doc), documents, undefined),
        }));
        for (const { id, before, after } of await allSettled(rendering))
          await replace(id, before, after, documents);
      }
    },
    async remove(id: string, documents: Documents): Promise<void> {
      const before = await documents.get(collection, id);
      if (!before) return;
      documents.remove(collection, id);
      await rendered(before, undefined, documents);
    },
  };
};
