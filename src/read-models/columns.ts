import type { Collection, NewDocuments, Stored, Value, Write } from './port.ts';

/** The members that have a column of their own: those that an index names. Each column costs at every write. */
export const columnsOf = ({ partition, indexes }: Collection): string[] => [
  ...new Set([partition, ...indexes.flat()].filter((name) => name !== 'id')),
];

/** What a document has in a column, or as its id; null where it has nothing. */
export const memberOf = ({ id, doc }: Pick<Stored<object>, 'id' | 'doc'>, name: string): unknown =>
  name === 'id' ? id : Object.hasOwn(doc, name) ? (doc as Readonly<Record<string, unknown>>)[name] : null;

const toValue = (member: unknown): Value =>
  typeof member === 'string' || typeof member === 'number'
    ? member
    : typeof member === 'boolean'
      ? Number(member)
      : null;

/** How many values a row has. */
export const widthOf = (collection: Collection): number => 2 + columnsOf(collection).length;

/** Makes rows of a collection's documents: each its id, its text (JSON), and what its columns hold. */
export const rowsOf = (collection: Collection) => {
  const columns = columnsOf(collection);
  return (stored: Stored<object>): Value[] => [
    stored.id,
    JSON.stringify(stored.doc),
    ...columns.map((name) => toValue(memberOf(stored, name))),
  ];
};

/** The writes of what is new to a collection. */
export const newWrites = (collection: Collection, documents: readonly NewDocuments[]): Write[] => {
  const width = widthOf(collection);
  const writes: Write[] = [];
  for (const { collection: name, count, values } of documents)
    for (let row = 0; name === collection.name && row < count; row++) {
      const [id, text] = [String(values[row * width]), String(values[row * width + 1])];
      // The text is that of a document.
      writes.push({ collection, id, doc: JSON.parse(text) as object, isNew: true });
    }
  return writes;
};
