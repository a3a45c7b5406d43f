import { setImmediate } from 'node:timers/promises';
import type { Absence } from './absence.ts';
import { Changes, memberOf } from './changes.ts';
import { DocumentCache, type Known } from './document-cache.ts';
import { StoreFailure } from './poison.ts';
import type { Collection, ReadModelStore, Stored, Write } from './read-models/port.ts';

/** Documents of others that are rendered at a time. */
const PAGE = 500;

type Handle = () => Promise<void>;
/** Stores a part of what one event changes; false where that is only tried. */
export type StorePart = (writes: readonly Write[]) => Promise<boolean>;

/** The handler renders more documents than are stored together: it is to be run in parts. */
export class TooLarge extends Error {}

/** A change of the handler that runs. */
interface Change {
  readonly collection: Collection;
  readonly id: string;
  /** As it was changed before; undefined where it was not. */
  readonly before: Known | undefined;
  readonly isRendered: boolean;
}

/** The documents that some events touch: read once, changed in memory, stored once. */
export class UnitOfWork {
  readonly #readModels: Pick<ReadModelStore, 'get' | 'getMany' | 'ids'>;
  readonly #maxPart: number;
  /** What is known to be stored. */
  readonly #cache = new DocumentCache();
  readonly #absence: Absence | undefined;
  #changed = new Map<Collection, Changes>();
  /** What is being stored. */
  #leaving = new Map<Collection, Changes>();
  /** What the handler has changed that runs. */
  #changes: Change[] = [];
  /** In how many pages, one within the other, the handler is. */
  #depth = 0;
  #storePart: StorePart | undefined;

  /**
   * @param maxPart so many documents of others are stored together at most
   * @param absence to be given when nothing is stored yet: it learns of all that comes to be
   */
  constructor(
    readModels: Pick<ReadModelStore, 'get' | 'getMany' | 'ids'>,
    maxPart: number,
    absence?: Absence,
  ) {
    this.#readModels = readModels;
    this.#maxPart = maxPart;
    this.#absence = absence;
  }

  /** How many documents have changed. */
  get size(): number {
    let size = 0;
    for (const { entries } of this.#changed.values()) size += entries.size;
    return size;
  }

  async get<Doc extends object>(collection: Collection<Doc>, id: string): Promise<Doc | undefined> {
    let known = this.known(collection, id);
    if (!known) {
      const stored = await fromStore(this.#readModels.get(collection, id));
      this.#cache.set(collection, id, (known = { doc: stored?.doc ?? null }));
    }
    // What a collection holds was stored as its documents.
    return (known.doc ?? undefined) as Doc | undefined;
  }

  /** What is known of a document without asking the store: undefined where nothing is, `doc: null` where there is none. */
  known(collection: Collection, id: string): Known | undefined {
    return (
      this.#changed.get(collection)?.entries.get(id) ??
      this.#leaving.get(collection)?.entries.get(id) ??
      this.#cache.get(collection, id) ??
      (this.#absence?.isCertain(collection, 'id', id) ? { doc: null } : undefined)
    );
  }

  /** Reads some documents ahead, where many at once cost less than one at a time. */
  async read(collection: Collection, ids: readonly string[]): Promise<void> {
    const stored = new Map(
      (await this.#readModels.getMany?.(collection, ids))?.map(({ id, doc }) => [id, doc]),
    );
    for (const id of ids) this.#cache.set(collection, id, { doc: stored.get(id) ?? null });
  }

  /** The ids of the documents whose column has a value, and of some whose column had it a moment ago. */
  async ids<Doc extends object>(
    collection: Collection<Doc>,
    column: keyof Doc & string,
    value: string,
  ): Promise<string[]> {
    const isNone = this.#absence?.isCertain(collection, column, value) === true;
    // Kept from before the question: what is stored while the store answers may be missing in the answer.
    const layers = [this.#leaving, this.#changed];
    const ids = new Set(isNone ? [] : await fromStore(this.#readModels.ids(collection, column, value)));
    for (const layer of layers)
      for (const id of layer.get(collection)?.idsWith(column, value) ?? []) ids.add(id);
    return [...ids];
  }

  /**
   * All documents whose column has a value, page after page. What is put while a page is looked at must come out the same
   * when the event is handled again: of an event that touches very many it is stored in parts, before the event's own
   * documents and the checkpoint.
   */
  async *pages<Doc extends object>(
    collection: Collection<Doc>,
    column: keyof Doc & string,
    value: string,
  ): AsyncGenerator<{ readonly id: string; readonly doc: Doc }[], void, undefined> {
    const ids = await this.ids(collection, column, value);
    for (let start = 0; start < ids.length; start += PAGE) {
      const page = await this.#many(collection, ids.slice(start, start + PAGE));
      this.#depth++;
      try {
        yield page.filter(({ doc }) => memberOf(doc, column) === value);
      } finally {
        this.#depth--;
      }
      await this.#endPage();
      // Lets others in: an embedded store answers at once.
      await setImmediate();
    }
  }

  /**
   * Runs a handler; when it fails, what it has changed and not stored is undone.
   *
   * @param storePart stores what is rendered, part by part; nothing of other events may be changed by then
   * @throws TooLarge where it is left out and would be needed
   */
  async attempt(handle: Handle, storePart?: StorePart): Promise<void> {
    this.#changes = [];
    this.#storePart = storePart;
    try {
      await handle();
    } catch (error) {
      this.undo();
      throw error;
    }
  }

  /** Takes back what the last handler has changed. */
  undo(): void {
    for (const { collection, id, before } of this.#changes.reverse())
      this.#of(collection).restore(id, before);
    this.#changes = [];
  }

  put<Doc extends object>(collection: Collection<Doc>, id: string, doc: Doc): void {
    this.#set(collection, id, doc);
  }

  remove(collection: Collection, id: string): void {
    this.#set(collection, id, null);
  }

  /** What has changed; to be called again only when that is stored. */
  take(): Write[] {
    this.#leaving = this.#changed;
    this.#changed = new Map();
    return writesOf(this.#leaving);
  }

  /** To be called once what was taken is stored. */
  stored(): void {
    for (const { collection, id, ...known } of writesOf(this.#leaving))
      this.#cache.set(collection, id, known);
    this.#leaving = new Map();
  }

  async #endPage(): Promise<void> {
    const rendered = new Set(this.#changes.filter(({ isRendered }) => isRendered).map(keyOf));
    if (rendered.size < this.#maxPart) return;
    if (!this.#storePart) throw new TooLarge();
    const part = writesOf(this.#changed).filter((write) => rendered.has(keyOf(write)));
    const isStored = await fromStore(this.#storePart(part));
    this.#changes = this.#changes.filter((change) => !rendered.has(keyOf(change)));
    for (const { collection, id, ...known } of part) {
      this.#of(collection).restore(id, undefined);
      if (isStored) this.#cache.set(collection, id, known);
    }
  }

  #set(collection: Collection, id: string, doc: object | null): void {
    const changes = this.#of(collection);
    const changed = changes.entries.get(id);
    const before = this.known(collection, id);
    this.#changes.push({ collection, id, before: changed, isRendered: this.#depth > 0 });
    changes.set(id, {
      doc,
      partition: doc ? undefined : partitionOf(collection, id, before),
      isNew: changed?.isNew ?? before?.doc === null,
    });
    if (doc) this.#absence?.learn(collection, id, doc);
  }

  /** Those that are there of some ids. What is only looked at is not remembered: it may be very much. */
  async #many<Doc extends object>(collection: Collection<Doc>, ids: readonly string[]) {
    const { getMany, get } = this.#readModels;
    const unknown = ids.filter((id) => !this.known(collection, id));
    const asked: Promise<(Stored<object> | undefined)[]> = getMany
      ? getMany(collection, unknown)
      : Promise.all(unknown.map((id) => get(collection, id)));
    const stored = new Map((await fromStore(asked)).map((each) => [each?.id, each?.doc]));
    return ids.flatMap((id) => {
      const doc = this.known(collection, id)?.doc ?? stored.get(id);
      // What a collection holds was stored as its documents.
      return doc ? [{ id, doc: doc as Doc }] : [];
    });
  }

  #of(collection: Collection): Changes {
    let changes = this.#changed.get(collection);
    if (!changes) this.#changed.set(collection, (changes = new Changes()));
    return changes;
  }
}

const keyOf = ({ collection, id }: Pick<Write, 'collection' | 'id'>): string => `${collection.name} ${id}`;

const writesOf = (changed: ReadonlyMap<Collection, Changes>): Write[] =>
  [...changed].flatMap(([collection, { entries }]) =>
    Array.from(entries, ([id, known]) => ({ collection, id, ...known })),
  );

/** What a store gives, or a failure that says that it was the store. */
const fromStore = async <T>(answer: Promise<T>): Promise<T> => {
  try {
    return await answer;
  } catch (error) {
    throw new StoreFailure(error);
  }
};

/** Of a document that is known; when it is deleted, of the one that was there. */
const partitionOf = (collection: Collection, id: string, known: Known | undefined): string | undefined => {
  if (collection.partition === 'id') return id;
  const value = known?.doc ? memberOf(known.doc, collection.partition) : known?.partition;
  return typeof value === 'string' ? value : undefined;
};
