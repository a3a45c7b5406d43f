import type { Collection, NewDocumentRows, StoredDocument, ColumnValue, DocumentWrite } from './port.ts';

/** The members with a column: the partition and those that an index names. Each column costs at every write. */
export const columnNamesOf = ({ partition, indexes }: Collection): string[] => [
  ...new Set([partition, ...indexes.flat()].filter((name) => name !== 'id')),
];

/** A document's value in a column, or its id; null where it has none. */
export const columnValueOf = ({ id, doc }: Pick<StoredDocument<object>, 'id' | 'doc'>, name: string): unknown =>
  name === 'id' ? id : Object.hasOwn(doc, name) ? (doc as Readonly<Record<string, unknown>>)[name] : null;

/** The partition of a document, or where a deleted one was, if that is known. */
export const partitionOf = ({ collection, id, doc, partition }: DocumentWrite): string | undefined => {
  const isThere = doc !== null || collection.partition === 'id';
  const value = isThere ? columnValueOf({ id, doc: doc ?? {} }, collection.partition) : partition;
  return typeof value === 'string' ? value : undefined;
};

const toValue = (member: unknown): ColumnValue =>
  typeof member === 'string' || typeof member === 'number'
    ? member
    : typeof member === 'boolean'
      ? Number(member)
      : null;

/** How many values a row has. */
export const rowWidthOf = (collection: Collection): number => 2 + columnNamesOf(collection).length;

/** Makes rows of documents: the id, the document as JSON, and the values of its columns. */
export const createRowEncoder = (collection: Collection) => {
  const columns = columnNamesOf(collection);
  return (stored: StoredDocument<object>): ColumnValue[] => [
    stored.id,
    JSON.stringify(stored.doc),
    ...columns.map((name) => toValue(columnValueOf(stored, name))),
  ];
};

/** The writes that insert new documents into a collection. */
export const toInsertWrites = (collection: Collection, documents: readonly NewDocumentRows[]): DocumentWrite[] => {
  const width = rowWidthOf(collection);
  const writes: DocumentWrite[] = [];
  for (const { collection: name, count, values } of documents)
    for (let row = 0; name === collection.name && row < count; row++) {
      const [id, text] = [String(values[row * width]), String(values[row * width + 1])];
      // The text is that of a document.
      writes.push({ collection, id, doc: JSON.parse(text) as object, isNew: true });
    }
  return writes;
};
