import type { Filter as MongoFilter, Sort } from 'mongodb';
import type { Collection, Condition, Filter, Find, Stored } from './port.ts';

/** A document as it is kept: what belongs to the reader is in `doc`, apart from what guards it. */
export interface Kept {
  readonly _id: string;
  readonly position: string;
  /** The fencing number of the lease under which it was written. */
  readonly fence: number;
  readonly doc?: object;
  /** Of one that was deleted. Its position stays for a day, so that an older write cannot bring it back. */
  readonly deletedAt?: Date;
}

const pathOf = (member: string): string => (member === 'id' ? '_id' : `doc.${member}`);

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');

const conditionOf = (wanted: Condition): unknown => {
  if (wanted === null || typeof wanted !== 'object') return { $eq: wanted };
  if ('in' in wanted) return { $in: wanted.in };
  if ('atMost' in wanted) return { $lte: wanted.atMost };
  return { $regex: escaped(wanted.contains), $options: 'i' };
};

/** A filter as the server takes it. Deleted documents have no members, so any condition but null leaves them out. */
export const toMongoFilter = <Doc>(filter: Filter<Doc>): MongoFilter<Kept> => {
  const conditions = Object.entries<Condition | undefined>(filter).flatMap(([member, wanted]) =>
    wanted === undefined ? [] : [[member, wanted] as const],
  );
  const found = Object.fromEntries(
    conditions.map(([member, wanted]) => [pathOf(member), conditionOf(wanted)]),
  );
  return conditions.some(([, wanted]) => wanted !== null)
    ? found
    : { ...found, deletedAt: { $exists: false } };
};

/** By id where the order says nothing. */
export const toSort = <Doc>(order: Find<Doc>['order'] = []): Sort => {
  const terms = order.map(
    ([member, direction]) => [pathOf(member), direction === 'ascending' ? 1 : -1] as const,
  );
  return new Map([...terms, ...(order.some(([member]) => member === 'id') ? [] : [['_id', 1] as const])]);
};

/** @throws Error for a document that this service cannot have written */
export const toStored = <Doc extends object>(
  { name }: Collection<Doc>,
  { _id, position, doc }: Kept,
): Stored<Doc> => {
  if (typeof doc !== 'object') throw new Error(`The document ${_id} of ${name} in MongoDB holds nothing`);
  // What a collection holds was stored as its documents.
  return { id: _id, position, doc: doc as Doc };
};
