import { memberOf } from './changes.ts';
import type { Documents } from './projection.ts';
import type { Collection } from '../read-models/port.ts';

/** What a handler does for each document whose column has a value. */
export interface Rendering {
  readonly collection: Collection;
  readonly column: string;
  readonly value: string;
  readonly act: (id: string, doc: object) => void;
}

export const renderingOf = <Doc extends object>(
  collection: Collection<Doc>,
  column: string,
  value: string,
  act: (id: string, doc: Doc) => void,
): Rendering =>
  // A collection holds only documents of its own type.
  ({ collection, column, value, act: act as Rendering['act'] });

/** Renders documents, but none that has lost the value. */
export const render = (
  { collection, column, value, act }: Rendering,
  ids: Iterable<string>,
  documents: Pick<Documents, 'get'>,
): void => {
  for (const id of ids) {
    const doc = documents.get(collection, id);
    if (doc && memberOf(doc, column) === value) act(id, doc);
  }
};
