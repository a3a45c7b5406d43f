import { setImmediate } from 'node:timers/promises';
import { partitionOf } from '../read-models/columns.ts';
import type { Collection, DocumentWrite } from '../read-models/port.ts';
import {
  PendingChanges,
  runDeferredUpdate,
  type JournaledChange,
  type KnownDocument,
  type DeferredDocumentUpdate,
} from './pending-changes.ts';
import type { ProjectionDocuments, Projection } from './projection.ts';
import { wrapStoreFailure, type DocumentSource } from './document-source.ts';

/** Documents rendered at a time; an event that renders more is run in parts. */
const PAGE_SIZE = 500;
/** Most that is read at once; the last handler may ask for more. */
const MAX_MISSING = 1_000;
/** How often a handler may ask for what depends on what it was given. */
const MAX_ROUNDS = 100;

type Handle = () => void;
/** Stores a part of what one event changes; resolves to false in a dry run. */
export type StorePartCallback = (writes: readonly DocumentWrite[]) => Promise<boolean>;
/** `missing`: the handler asked for what is not read yet; `in parts`: it renders too many documents at once. */
export type HandlingOutcome = 'done' | 'missing' | 'in parts';

/** The documents that some events touch: read many at once, changed in memory, stored once. */
export class DocumentUnitOfWork implements ProjectionDocuments {
  readonly #stored: DocumentSource;
  readonly #maxPart: number;
  readonly #maxRendered: number;
  readonly #toPhysical: NonNullable<Projection['toPhysical']>;
  #changes = new PendingChanges();
  /** Changes that are being stored. */
  #leaving = new PendingChanges();
  /** What the running handler is to render. */
  #renderings: DeferredDocumentUpdate[] = [];
  /** How often the running handler has asked for something that was missing. */
  #rounds = 0;

  /**
   * @param maxPart after so many rendered documents a part is stored; left out: handlers run in one part, since all
   *   documents are in memory
   */
  constructor(
    stored: DocumentSource,
    { toPhysical = (collection) => collection }: Pick<Projection, 'toPhysical'> = {},
    maxPart?: number,
  ) {
    this.#stored = stored;
    this.#toPhysical = toPhysical;
    this.#maxPart = maxPart ?? Infinity;
    this.#maxRendered = maxPart === undefined ? Infinity : Math.min(PAGE_SIZE, maxPart);
  }

  /** How many documents have changed. */
  get size(): number {
    return this.#changes.sizeOf();
  }

  /** What the last handler has changed, in order. */
  get journal(): readonly JournaledChange[] {
    return this.#changes.journal;
  }

  get<Doc extends object>(collection: Collection<Doc>, id: string): Doc | undefined {
    const physical = this.#toPhysical(collection);
    const known = this.#known(physical, id);
    if (!known) this.#stored.want(physical, id);
    // A collection holds only documents of its own type.
    return (known?.doc ?? undefined) as Doc | undefined;
  }

  ids(collection: Collection, column: string, value: string): readonly string[] {
    const physical = this.#toPhysical(collection);
    const ids = new Set(this.#stored.ids(physical, column, value));
    for (const changes of [this.#leaving, this.#changes])
      for (const id of changes.idsWith(physical, column, value)) ids.add(id);
    return [...ids];
  }

  each<Doc extends object>(
    collection: Collection<Doc>,
    column: keyof Doc & string,
    value: string,
    act: (id: string, doc: Doc) => void,
  ): void {
    this.#renderings.push({ collection, column, value, act: act as DeferredDocumentUpdate['act'] });
  }

  put(collection: Collection, id: string, doc: object): void {
    const physical = this.#toPhysical(collection);
    const isNew = this.#changes.get(physical, id)?.isNew ?? this.#known(physical, id)?.doc === null;
    this.#changes.set(physical, id, { doc, isNew });
  }

  remove(collection: Collection, id: string): void {
    const physical = this.#toPhysical(collection);
    const known = this.#known(physical, id);
    const isNew = this.#changes.get(physical, id)?.isNew ?? known?.doc === null;
    const partition = partitionOf({ collection, id, doc: null, ...known });
    this.#changes.set(physical, id, { doc: null, partition, isNew });
  }

  /**
   * Runs a handler and what it renders; keeps its changes only where that is done.
   *
   * @throws what the handler throws where nothing was missing
   */
  tryHandling(handle: Handle): HandlingOutcome {
    this.#changes.begin();
    let outcome: HandlingOutcome = 'missing';
    try {
      outcome = this.#run(handle);
    } finally {
      if (outcome !== 'done') this.#changes.undo();
    }
    this.#countRound(outcome === 'missing');
    return outcome;
  }

  /** Reads at once what some handlers ask for, each after the changes of those before it; they take no effect. */
  async readFor(handles: readonly Handle[]): Promise<void> {
    this.#changes.begin();
    for (const handle of handles) {
      if (this.#stored.missing >= MAX_MISSING) break;
      try {
        this.#run(handle);
      } catch {
        // It will run in earnest, and throw then.
      }
    }
    this.#changes.undo();
    await this.#readMissing();
  }

  /**
   * Runs a handler that renders very many documents, page by page; to be called while no change of another event waits.
   * They are stored in parts before the event's own documents and the checkpoint, so they must come out the same when
   * the event is handled again.
   *
   * @returns how many parts there were; a dry run that had any has changed nothing
   */
  async runInParts(handle: Handle, storePart: StorePartCallback): Promise<number> {
    this.#changes.begin();
    this.#renderings = [];
    let parts = 0;
    let isStored = true;
    try {
      await this.#complete(handle);
      const afterHandler = this.#changes.journal.length;
      for (const rendering of this.#renderings) {
        let ids: readonly string[] = [];
        await this.#complete(() => (ids = this.#idsOf(rendering)));
        for (let start = 0; start < ids.length; start += PAGE_SIZE) {
          const page = ids.slice(start, start + PAGE_SIZE);
          await this.#complete(() => runDeferredUpdate(rendering, page, this));
          const part = this.#renderedSince(afterHandler);
          if (part.length >= this.#maxPart) {
            isStored = await wrapStoreFailure(storePart(part));
            this.#changes.drop(part, afterHandler);
            this.#stored.committed(isStored ? part : []);
            parts++;
          }
          // Lets other tasks run: an embedded store does not yield to the event loop.
          await setImmediate();
        }
      }
    } catch (error) {
      this.#changes.undo();
      throw error;
    }
    if (!isStored) this.#changes.undo();
    return parts;
  }

  /** Gives the changes to store; to be called once those given before are stored. */
  beginCommit(): DocumentWrite[] {
    this.#leaving = this.#changes;
    this.#changes = new PendingChanges();
    return this.#leaving.writes();
  }

  /** To be called once what was given is stored. */
  endCommit(): void {
    this.#stored.committed(this.#leaving.writes());
    this.#leaving = new PendingChanges();
  }

  /** How many documents of some physical collections have changed. */
  sizeOf(isCounted: (physical: Collection) => boolean): number {
    return this.#changes.sizeOf(isCounted);
  }

  /** Gives the changes of some physical collections away: it is as if they had never been made. */
  take(isTaken: (physical: Collection) => boolean): DocumentWrite[] {
    return this.#changes.take(isTaken);
  }

  #run(handle: Handle): HandlingOutcome {
    this.#renderings = [];
    const most = this.#maxRendered;
    let rows = 0;
    const isComplete = this.#isComplete(() => {
      handle();
      for (const rendering of this.#renderings) {
        const ids = this.#idsOf(rendering);
        rows += 1 + ids.length;
        if (rows > most) return;
        runDeferredUpdate(rendering, ids, this);
      }
    });
    if (rows > most) return 'in parts';
    return isComplete ? 'done' : 'missing';
  }

  /** Whether nothing was missing; what it throws otherwise is ignored. */
  #isComplete(act: Handle): boolean {
    const { missing } = this.#stored;
    try {
      act();
    } catch (error) {
      if (this.#stored.missing === missing) throw error;
    }
    return this.#stored.missing === missing;
  }

  /** Runs it again and again until nothing is missing. */
  async #complete(act: Handle): Promise<void> {
    const [changes, renderings] = [this.#changes.journal.length, this.#renderings.length];
    while (!this.#isComplete(act)) {
      this.#countRound(true);
      this.#changes.undo(changes);
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

  #readMissing(): Promise<void> {
    return this.#stored.read([this.#leaving, this.#changes]);
  }

  #idsOf({ collection, column, value }: DeferredDocumentUpdate): readonly string[] {
    return this.ids(collection, column, value);
  }

  /** What was rendered after the handler's own changes, each document once. */
  #renderedSince(afterHandler: number): DocumentWrite[] {
    const rendered = new Map(
      this.#changes.journal.slice(afterHandler).map((change) => [`${change.collection.name} ${change.id}`, change]),
    );
    return [...rendered.values()].flatMap(({ collection, id }) => {
      const known = this.#changes.get(collection, id);
      return known ? [{ collection, id, ...known }] : [];
    });
  }

  /** Undefined where nothing is known, `doc: null` where there is none. */
  #known(collection: Collection, id: string): KnownDocument | undefined {
    return this.#changes.get(collection, id) ?? this.#leaving.get(collection, id) ?? this.#stored.known(collection, id);
  }
}
