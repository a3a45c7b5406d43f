import type { Filter as MongoFilter, Sort } from 'mongodb';
import { conditionsOf } from '../in-memory-query.ts';
import type { Collection, Condition, Filter, FindQuery, StoredDocument } from '../port.ts';

/** A document as MongoDB stores it; queries see `doc`. */
export interface MongoDocument {
  readonly _id: string;
  /** The shard key; left out where that is the id. */
  readonly partition?: string;
  readonly doc: object;
}

/** The path of a member of a collection's documents. */
export const memberPathOf = ({ partition }: Collection, member: string): string =>
  member === 'id' ? '_id' : member === partition ? 'partition' : `doc.${member}`;

/** Members with a text search, which is done in this process: MongoDB folds case by another rule. */
export const textSearchMembersOf = <Doc extends object>(filter: Filter<Doc>): string[] =>
  conditionsOf(filter).flatMap(([member, condition]) =>
    typeof condition === 'object' && 'contains' in condition ? [member] : [],
  );

const toMongoCondition = (condition: Condition): unknown => {
  if (typeof condition !== 'object') return { $eq: condition };
  return 'in' in condition ? { $in: condition.in } : { $type: 'string' };
};

/** A filter as MongoDB takes it, which finds any text where one is searched. */
export const toMongoFilter = <Doc extends object>(
  collection: Collection<Doc>,
  filter: Filter<Doc>,
): MongoFilter<MongoDocument> =>
  Object.fromEntries<unknown>(
    conditionsOf(filter).map(([member, condition]) => [memberPathOf(collection, member), toMongoCondition(condition)]),
  );

/** By id where the order leaves documents equal. */
export const toSort = <Doc extends object>(collection: Collection<Doc>, order: FindQuery<Doc>['order'] = []): Sort => {
  const terms = order.map(
    ([member, direction]) => [memberPathOf(collection, member), direction === 'ascending' ? 1 : -1] as const,
  );
  return new Map([...terms, ...(order.some(([member]) => member === 'id') ? [] : [['_id', 1] as const])]);
};

export const fromMongoDocument = <Doc extends object>({ _id, doc }: MongoDocument): StoredDocument<Doc> =>
  // A collection holds documents of its own type.
  ({ id: _id, doc: doc as Doc });
