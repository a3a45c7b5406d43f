import { setImmediate } from 'node:timers/promises';
import { Changes, memberOf, writesOf } from './changes.ts';
import type { CachedDocument } from './document-cache.ts';
import { fromStore } from './poison.ts';
import type { Documents } from './projection.ts';
import { ReadDocuments, type DocumentSource } from './read-documents.ts';
import type { Collection, Write } from '../read-models/port.ts';
import { render, renderingOf, type Rendering } from './rendering.ts';

/** Documents rendered at a time; an event that renders more is run in parts. */
const PAGE = 500;
/** Most that is read at once; the last handler may ask for more. */
const MAX_WANTED = 1_000;

/** How often a handler may ask for what depends on what it was given. */
const MAX_ROUNDS = 100;

type Handle = () => void;
/** Stores a part of what one event changes; resolves to false in a dry run. */
export type StorePart = (writes: readonly Write[]) => Promise<boolean>;
/** `missing`: the handler asked for what is not read yet; `in parts`: it renders too many documents at once. */
export type Outcome = 'done' | 'missing' | 'in parts';

/** A change by the running handler. */
interface Change {
  readonly collection: Collection;
  readonly id: string;
  /** The change before it; undefined where there was none. */
  readonly before: CachedDocument | undefined;
  readonly isRendered: boolean;
}

/** The documents that some events touch: read many at once, changed in memory, stored once. */
export class UnitOfWork implements Documents {
  readonly #read: ReadDocuments;
  readonly #maxPart: number;
  #changed = new Map<Collection, Changes>();
  /** Changes that are being stored. */
  #leaving = new Map<Collection, Changes>();
  /** What the running handler has changed, and is to render. */
  #changes: Change[] = [];
  #renderings: Rendering[] = [];
  #isRendering = false;
  /** How often the running handler has asked for something that was missing. */
  #rounds = 0;
  /** Whether the last part was a dry run. */
  #isTried = false;

  /** @param maxPart after so many rendered documents a part is stored */
  constructor(readModels: DocumentSource, maxPart: number) {
    this.#read = new ReadDocuments(readModels);
    this.#maxPart = maxPart;
  }

  /** How many documents have changed. */
  get size(): number {
    let size = 0;
    for (const { entries } of this.#changed.values()) size += entries.size;
    return size;
  }

  get<Doc extends object>(collection: Collection<Doc>, id: string): Doc | undefined {
    const known = this.#known(collection, id);
    if (!known) this.#read.want(collection, id);
    // A collection holds only documents of its own type.
    return (known?.doc ?? undefined) as Doc | undefined;
  }

  ids(collection: Collection, column: string, value: string): readonly string[] {
    const ids = new Set(this.#read.ids(collection, column, value));
    for (const layer of [this.#leaving, this.#changed])
      for (const id of layer.get(collection)?.idsWith(column, value) ?? []) ids.add(id);
    return [...ids];
  }

  each<Doc extends object>(
    collection: Collection<Doc>,
    column: keyof Doc & string,
    value: string,
    act: (id: string, doc: Doc) => void,
  ): void {
    this.#renderings.push(renderingOf(collection, column, value, act));
  }

  put<Doc extends object>(collection: Collection<Doc>, id: string, doc: Doc): void {
    this.#set(collection, id, doc);
  }

  remove(collection: Collection, id: string): void {
    this.#set(collection, id, null);
  }

  /**
   * Runs a handler and what it renders; keeps its changes only where that is done.
   *
   * @throws what the handler throws where nothing was missing
   */
  attempt(handle: Handle): Outcome {
    this.#changes = [];
    let outcome: Outcome = 'missing';
    try {
      outcome = this.#run(handle);
    } finally {
      if (outcome !== 'done') this.#undo();
    }
    this.#countRound(outcome === 'missing');
    return outcome;
  }

  /** Reads at once what some handlers ask for, each after the changes of those before it; they take no effect. */
  async readFor(handles: readonly Handle[]): Promise<void> {
    this.#changes = [];
    for (const handle of handles) {
      if (this.#read.missing >= MAX_WANTED) break;
      try {
        this.#run(handle);
      } catch {
        // It will run in earnest, and throw then.
      }
    }
    this.#undo();
    await this.#readMissing();
  }

  /**
   * Runs a handler that renders very many documents, page by page. They are stored in parts before the event's own
   * documents and the checkpoint, so they must come out the same when the event is handled again.
   *
   * @param storePart by then no change of another event waits
   * @returns how many parts there were; a dry run that had any has changed nothing
   */
  async runInParts(handle: Handle, storePart: StorePart): Promise<number> {
    this.#changes = [];
    this.#renderings = [];
    let parts = 0;
    try {
      await this.#complete(handle);
      for (const rendering of this.#renderings) {
        let ids: readonly string[] = [];
        await this.#complete(() => (ids = this.#idsOf(rendering)));
        for (let start = 0; start < ids.length; start += PAGE) {
          const page = ids.slice(start, start + PAGE);
          await this.#complete(() => this.#render(rendering, page));
          if (await this.#storeRendered(storePart)) parts++;
          // Lets other tasks run: an embedded store does not yield to the event loop.
          await setImmediate();
        }
      }
    } catch (error) {
      this.#undo();
      throw error;
    }
    if (parts > 0 && this.#isTried) this.#undo();
    return parts;
  }

  /** Takes the changes; to be called once those taken before are stored. */
  beginCommit(): Write[] {
    this.#leaving = this.#changed;
    this.#changed = new Map();
    return writesOf(this.#leaving);
  }

  /** To be called once what was taken is stored. */
  endCommit(): void {
    this.#read.stored(writesOf(this.#leaving));
    this.#leaving = new Map();
  }

  #run(handle: Handle): Outcome {
    this.#renderings = [];
    const most = Math.min(PAGE, this.#maxPart);
    let rows = 0;
    const isComplete = this.#isComplete(() => {
      handle();
      for (const rendering of this.#renderings) {
        const ids = this.#idsOf(rendering);
        rows += 1 + ids.length;
        if (rows > most) return;
        this.#render(rendering, ids);
      }
    });
    if (rows > most) return 'in parts';
    return isComplete ? 'done' : 'missing';
  }

  /** Whether nothing was missing; what it throws otherwise is ignored. */
  #isComplete(act: Handle): boolean {
    const { missing } = this.#read;
    try {
      act();
    } catch (error) {
      if (this.#read.missing === missing) throw error;
    }
    return this.#read.missing === missing;
  }

  /** Runs it again and again until nothing is missing. */
  async #complete(act: Handle): Promise<void> {
    const [changes, renderings] = [this.#changes.length, this.#renderings.length];
    while (!this.#isComplete(act)) {
      this.#countRound(true);
      this.#undo(changes);
      this.#renderings.length = renderings;
      await this.#readMissing();
    }
    this.#countRound(false);
  }

  /** @throws Error for a handler that asks too often: the cache drops its first documents before the last are read */
  #countRound(isMissing: boolean): void {
    this.#rounds = isMissing ? this.#rounds + 1 : 0;
    if (this.#rounds <= MAX_ROUNDS) return;
    this.#rounds = 0;
    throw new Error(`A handler has asked for documents ${MAX_ROUNDS} times: it needs more than are kept`);
  }

  /** Takes back a handler's changes, but for the first ones. */
  #undo(kept = 0): void {
    for (const { collection, id, before } of this.#changes.splice(kept).reverse())
      this.#of(collection).restore(id, before);
  }

  #readMissing(): Promise<void> {
    return this.#read.read([this.#leaving, this.#changed]);
  }

  #idsOf({ collection, column, value }: Rendering): readonly string[] {
    return this.ids(collection, column, value);
  }

  #render(rendering: Rendering, ids: readonly string[]): void {
    this.#isRendering = true;
    try {
      render(rendering, ids, this);
    } finally {
      this.#isRendering = false;
    }
  }

  async #storeRendered(storePart: StorePart): Promise<boolean> {
    const rendered = new Set(this.#changes.filter(({ isRendered }) => isRendered).map(keyOf));
    if (rendered.size < this.#maxPart) return false;
    const part = writesOf(this.#changed).filter((write) => rendered.has(keyOf(write)));
    this.#isTried = !(await fromStore(storePart(part)));
    this.#changes = this.#changes.filter((change) => !rendered.has(keyOf(change)));
    for (const { collection, id } of part) this.#of(collection).restore(id, undefined);
    if (this.#isTried) this.#read.forgetIds();
    else this.#read.stored(part);
    return true;
  }

  /** Undefined where nothing is known, `doc: null` where there is none. */
  #known(collection: Collection, id: string): CachedDocument | undefined {
    return (
      this.#changed.get(collection)?.entries.get(id) ??
      this.#leaving.get(collection)?.entries.get(id) ??
      this.#read.known(collection, id)
    );
  }

  #set(collection: Collection, id: string, doc: object | null): void {
    const changes = this.#of(collection);
    const changed = changes.entries.get(id);
    const before = this.#known(collection, id);
    this.#changes.push({ collection, id, before: changed, isRendered: this.#isRendering });
    changes.set(id, {
      doc,
      partition: doc ? undefined : partitionOf(collection, id, before),
      isNew: changed?.isNew ?? before?.doc === null,
    });
  }

  #of(collection: Collection): Changes {
    let changes = this.#changed.get(collection);
    if (!changes) this.#changed.set(collection, (changes = new Changes()));
    return changes;
  }
}

const keyOf = ({ collection, id }: Pick<Write, 'collection' | 'id'>): string => `${collection.name} ${id}`;

/** Of a known document; of a deleted one, where it was. */
const partitionOf = (
  collection: Collection,
  id: string,
  known: CachedDocument | undefined,
): string | undefined => {
  if (collection.partition === 'id') return id;
  const value = known?.doc ? memberOf(known.doc, collection.partition) : known?.partition;
  return typeof value === 'string' ? value : undefined;
};
