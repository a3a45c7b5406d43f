import type { ProjectionDocuments } from '../../src/projector/projection.ts';
import type { Collection } from '../../src/read-models/port.ts';

/**
 * Rows are rendered again from their own facts and from looked-up ones whenever either change, so that the final row
 * depends on the last of each and not on the order of the events.
 */
interface RowDefinition<Own, Row extends object> {
  readonly collection: Collection<Row>;
  /** The facts that a row was rendered from. */
  readonly ownOf: (row: Row) => Own;
  /**
   * Renders a row from its own facts. It looks up the rest, or takes it from `before`, the previous row, when only its
   * own facts have changed.
   */
  readonly render: (id: string, own: Own, documents: ProjectionDocuments, before: Row | undefined) => Row;
  /** Updates the counters for a changed row, in the same commit. */
  readonly count?: (before: Row | undefined, after: Row | undefined, documents: ProjectionDocuments) => void;
}

/** How handlers change the rows of a collection. */
export const createRowWriter = <Own, Row extends object>({
  collection,
  ownOf,
  render,
  count = () => undefined,
}: RowDefinition<Own, Row>) => {
  const replace = (id: string, before: Row | undefined, after: Row, documents: ProjectionDocuments): void => {
    documents.put(collection, id, after);
    count(before, after, documents);
  };
  const renderAnew = (id: string, row: Row, documents: ProjectionDocuments): void =>
    replace(id, row, render(id, ownOf(row), documents, undefined), documents);
  return {
    ownOf(id: string, documents: ProjectionDocuments): Own | undefined {
      const row = documents.get(collection, id);
      return row && ownOf(row);
    },
    /** Changes the own facts of a row, or adds one. */
    set(id: string, own: Own, documents: ProjectionDocuments): void {
      const before = documents.get(collection, id);
      replace(id, before, render(id, own, documents, before), documents);
    },
    /** Renders a row anew, if there is one. */
    refresh(id: string, documents: ProjectionDocuments): void {
      const row = documents.get(collection, id);
      if (row) renderAnew(id, row, documents);
    },
    /** Makes a function that renders the rows anew whose column has a value. */
    refreshBy:
      (column: keyof Row & string) =>
      (value: string, documents: ProjectionDocuments): void =>
        documents.each(collection, column, value, (id, row) => renderAnew(id, row, documents)),
    remove(id: string, documents: ProjectionDocuments): void {
      const before = documents.get(collection, id);
      if (!before) return;
      documents.remove(collection, id);
      count(before, undefined, documents);
    },
  };
};

/** Renders the rows again that show a document, after it has changed. */
export type RefreshRows = (id: string, documents: ProjectionDocuments) => void;
