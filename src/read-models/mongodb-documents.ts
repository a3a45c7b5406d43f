import type { Filter as MongoFilter, Sort } from 'mongodb';
import type { Collection, Condition, Filter, Find, Stored } from './port.ts';

/** A document as it is kept: what belongs to the reader is in `doc`, apart from what guards it. */
export interface Kept {
  readonly _id: string;
  /** What it is sharded by; left out where that is the id. */
  readonly partition?: string;
  readonly position: string;
  /** The fencing number of the lease under which it was written. */
  readonly fence: number;
  readonly doc?: object;
  /** Of one that was deleted. Its position stays for a day, so that an older write cannot bring it back. */
  readonly deletedAt?: Date;
}

/** Where a member of a collection's documents is kept. */
export const pathOf = ({ partition }: Collection, member: string): string =>
  member === 'id' ? '_id' : member === partition ? 'partition' : `doc.${member}`;

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');

/** A letter with a mark may be kept as one character or as two (Unicode, annex 15). */
const eitherForm = (character: string): string => {
  const apart = character.normalize('NFD');
  return apart === character ? escaped(character) : `(?:${escaped(character)}|${escaped(apart)})`;
};

const conditionOf = (wanted: Condition): unknown => {
  if (wanted === null || typeof wanted !== 'object') return { $eq: wanted };
  if ('in' in wanted) return { $in: wanted.in };
  if ('atMost' in wanted) return { $lte: wanted.atMost };
  return { $regex: Array.from(wanted.contains.normalize('NFC'), eitherForm).join(''), $options: 'i' };
};

/** A filter as the server takes it. Deleted documents are left out. */
export const toMongoFilter = <Doc extends object>(
  collection: Collection<Doc>,
  filter: Filter<Doc>,
): MongoFilter<Kept> => {
  const conditions = Object.entries<Condition | undefined>(filter).flatMap(([member, wanted]) =>
    wanted === undefined ? [] : [[member, wanted] as const],
  );
  const found = conditions.map(
    ([member, wanted]) => [pathOf(collection, member), conditionOf(wanted)] as const,
  );
  return Object.fromEntries<unknown>([...found, ['deletedAt', { $exists: false }]]);
};

/** By id where the order says nothing. */
export const toSort = <Doc extends object>(
  collection: Collection<Doc>,
  order: Find<Doc>['order'] = [],
): Sort => {
  const terms = order.map(
    ([member, direction]) => [pathOf(collection, member), direction === 'ascending' ? 1 : -1] as const,
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
