import { setImmediate } from 'node:timers/promises';
import type { DomainEvent } from './domain/index.ts';
import type { Position } from './event-store/port.ts';
import type { Collection, ReadModels, Stored, Write } from './read-models/port.ts';

/** A document as a handler sees it. */
export type Documents = Pick<UnitOfWork, 'get' | 'find' | 'put' | 'remove'>;

type Handlers = {
  readonly [Type in DomainEvent['type']]?: (
    event: Extract<DomainEvent, { type: Type }>,
    documents: Documents,
  ) => Promise<void>;
};

/** A fold of events into documents. It sets absolute values and calls nothing outside. */
export interface Projection {
  readonly name: string;
  /** Raise it whenever the documents would come out differently: the next start rebuilds them. */
  readonly version: number;
  /** What is derived comes before what it is derived from, and is stored in this order. */
  readonly collections: readonly Collection[];
  readonly handlers: Handlers;
}

/** Folds one event by the projection's handler for its type, if there is one. */
export const applyEvent = async (
  projection: Projection,
  event: DomainEvent,
  position: Position,
  documents: UnitOfWork,
): Promise<void> => {
  const handler = projection.handlers[event.type] as
    ((event: DomainEvent, documents: Documents) => Promise<void>) | undefined;
  if (!handler) return;
  documents.position = position;
  await handler(event, documents);
};

interface Entry {
  readonly doc: object | null;
  readonly position: Position;
  readonly isChanged: boolean;
}

/** How long a fold may keep the event loop to itself. */
const BREATHE_AFTER_MS = 10;

/**
 * The documents that a batch of events touches: read once, changed in memory, stored once. A document that already
 * holds an event is left alone when that event comes again, which is what makes a replay harmless.
 */
export class UnitOfWork {
  /** Of the event that is being folded. */
  position: Position = '';
  readonly #readModels: ReadModels;
  readonly #entries = new Map<Collection, Map<string, Entry>>();
  #breathedAt = performance.now();

  constructor(readModels: ReadModels) {
    this.#readModels = readModels;
  }

  async get<Doc extends object>(collection: Collection<Doc>, id: string): Promise<Doc | undefined> {
    if (performance.now() - this.#breathedAt > BREATHE_AFTER_MS) await this.#breathe();
    const known = this.#of(collection).get(id);
    if (known) return (known.doc ?? undefined) as Doc | undefined;
    return this.#remember(collection, id, await this.#readModels.get(collection, id));
  }

  /** All documents of a collection whose column has a value. */
  async find<Doc extends object>(
    collection: Collection<Doc>,
    column: keyof Doc & string,
    value: string,
  ): Promise<{ id: string; doc: Doc }[]> {
    const entries = this.#of(collection);
    const filter: { [c in keyof Doc & string]?: string } = {};
    filter[column] = value;
    for (const stored of await this.#readModels.find(collection, { filter }))
      if (!entries.has(stored.id)) this.#remember(collection, stored.id, stored);
    const found: { id: string; doc: Doc }[] = [];
    for (const [id, { doc }] of entries)
      if (doc && (doc as Doc)[column] === value) found.push({ id, doc: doc as Doc });
    return found;
  }

  /** False when the document already holds the event that is being folded, and is left as it is. */
  put<Doc extends object>(collection: Collection<Doc>, id: string, doc: Doc): boolean {
    return this.#set(collection, id, doc);
  }

  /** False as with `put`. */
  remove<Doc extends object>(collection: Collection<Doc>, id: string): boolean {
    return this.#set(collection, id, null);
  }

  /** What has changed, in the order in which it must be stored. */
  writes(collections: readonly Collection[]): Write[] {
    return collections.flatMap((collection) =>
      [...this.#of(collection)].flatMap(([id, { doc, position, isChanged }]) =>
        isChanged ? [{ collection, id, doc, position }] : [],
      ),
    );
  }

  #set(collection: Collection, id: string, doc: object | null): boolean {
    const before = this.#of(collection).get(id);
    if (before && before.position >= this.position && !before.isChanged) return false;
    this.#of(collection).set(id, { doc, position: this.position, isChanged: true });
    return true;
  }

  #remember<Doc extends object>(
    collection: Collection<Doc>,
    id: string,
    stored: Stored<Doc> | undefined,
  ): Doc | undefined {
    this.#of(collection).set(id, {
      doc: stored?.doc ?? null,
      position: stored?.position ?? '',
      isChanged: false,
    });
    return stored?.doc;
  }

  /** Lets requests in: an embedded store answers at once, so a long fold would otherwise be one turn of the loop. */
  async #breathe(): Promise<void> {
    await setImmediate();
    this.#breathedAt = performance.now();
  }

  #of(collection: Collection): Map<string, Entry> {
    let entries = this.#entries.get(collection);
    if (!entries) {
      entries = new Map<string, Entry>();
      this.#entries.set(collection, entries);
    }
    return entries;
  }
}
