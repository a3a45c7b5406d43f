import type { Documents } from '../../src/projector/projection.ts';
import type { Collection } from '../../src/read-models/port.ts';

/**
 * Documents that are rendered again from their own facts and from looked-up ones whenever either change, so that the
 * final document depends on the last of each and not on the order of the events.
 */
export interface View<Own, Doc extends object> {
  readonly collection: Collection<Doc>;
  /** The facts that a document was rendered from. */
  readonly ownOf: (doc: Doc) => Own;
  /**
   * Renders a document from its own facts. It looks up the rest, or takes it from `kept`, the previous document, when
   * only its own facts have changed.
   */
  readonly render: (id: string, own: Own, documents: Documents, kept: Doc | undefined) => Doc;
  /** Called for each change, to update counts over documents; both are stored together. */
  readonly rendered?: (before: Doc | undefined, after: Doc | undefined, documents: Documents) => void;
}

export const viewOf = <Own, Doc extends object>({
  collection,
  ownOf,
  render,
  rendered = () => undefined,
}: View<Own, Doc>) => {
  const replace = (id: string, before: Doc | undefined, after: Doc, documents: Documents): void => {
    documents.put(collection, id, after);
    rendered(before, after, documents);
  };
  const anew = (id: string, doc: Doc, documents: Documents): void =>
    replace(id, doc, render(id, ownOf(doc), documents, undefined), documents);
  return {
    set(id: string, own: Own, documents: Documents): void {
      const before = documents.get(collection, id);
      replace(id, before, render(id, own, documents, before), documents);
    },
    ownOf(id: string, documents: Documents): Own | undefined {
      const doc = documents.get(collection, id);
      return doc && ownOf(doc);
    },
    refresh(id: string, documents: Documents): void {
      const doc = documents.get(collection, id);
      if (doc) anew(id, doc, documents);
    },
    refreshAll(column: keyof Doc & string, value: string, documents: Documents): void {
      documents.each(collection, column, value, (id, doc) => anew(id, doc, documents));
    },
    remove(id: string, documents: Documents): void {
      const before = documents.get(collection, id);
      if (!before) return;
      documents.remove(collection, id);
      rendered(before, undefined, documents);
    },
  };
};
