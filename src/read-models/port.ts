import type { Mark, Position, Revision } from '../event-store/port.ts';

/**
 * One collection of a projection. A document is JSON with its id beside it; a column is a top-level member of the
 * document that finds filter and order by: a text (compared by code point), an integer or null.
 */
export interface Collection<Doc extends object = object> {
  /** Unique among all projections: lower-case letters, digits and `_`. */
  readonly name: string;
  /** The column (or `id`) that every find of a query names: the unit of sharding. A document stays in its partition. */
  readonly partition: string;
  /** Each a list of columns (or `id`), in order. */
  readonly indexes: readonly (readonly string[])[];
  /** Never there; carries the document's type. */
  readonly document?: Doc;
}

/** Makes a collection whose partition and indexes are checked to be members of the document. */
export const defineCollection = <Doc extends object>(
  collection: Collection<Doc> & {
    readonly partition: (keyof Doc & string) | 'id';
    readonly indexes: readonly (readonly ((keyof Doc & string) | 'id')[])[];
  },
): Collection<Doc> => collection;

/** Conditions on columns, all of which must hold. Each is one of MongoDB's: equality, $in, $lte, $regex with i. */
export type Condition =
  | string
  | number
  | null
  | { readonly in: readonly (string | number)[] }
  | { readonly atMost: string | number }
  /** Literal text, found anywhere in it whatever the case. */
  | { readonly contains: string };
export type Filter<Doc> = { readonly [column in keyof Doc & string]?: Condition };
export type Order<Doc> = readonly (readonly [
  column: (keyof Doc & string) | 'id',
  direction: 'ascending' | 'descending',
])[];

export interface Find<Doc> {
  readonly filter: Filter<Doc>;
  readonly order?: Order<Doc>;
  readonly skip?: number;
  readonly limit?: number;
}

export interface Stored<Doc> {
  readonly id: string;
  readonly doc: Doc;
}

/** A document as text. */
export interface StoredText {
  readonly id: string;
  /** JSON */
  readonly text: string;
}

/** The collection is not there, or not built yet: that no document is found in it says nothing. */
export class NotBuilt extends Error {
  constructor(collection: string) {
    super(`The collection ${collection} is not built`);
  }
}

/** The reading half, which is all that queries see. */
export interface ReadModels {
  get<Doc extends object>(collection: Collection<Doc>, id: string): Promise<Stored<Doc> | undefined>;
  find<Doc extends object>(collection: Collection<Doc>, find: Find<Doc>): Promise<Stored<Doc>[]>;
  count<Doc extends object>(collection: Collection<Doc>, filter: Filter<Doc>): Promise<number>;
}

/** Whether what was read is still as it was. Its owner makes it false once, and it stays so. */
export interface Validity {
  readonly isCurrent: boolean;
}

/** Read models that note what is read through them. */
export interface TrackedReads {
  readonly readModels: ReadModels;
  /** Of all that was read so far; each of them once. */
  readonly validities: ReadonlySet<Validity>;
}

/** A document to be stored, or deleted where it is null. */
export interface Write {
  readonly collection: Collection;
  readonly id: string;
  readonly doc: object | null;
  /** Where a deleted document was, if that is known. */
  readonly partition?: string | undefined;
  /** None is stored under this id: it can be inserted, which costs less. */
  readonly isNew?: boolean;
}

/** What a column can hold. */
export type Value = string | number | null;

/** Documents of one collection that are new to it, as text: they may come from another thread, and are stored as they are. */
export interface NewDocuments {
  /** The collection's name. */
  readonly collection: string;
  readonly count: number;
  /** Their rows one after another, as `rowsOf` makes them. */
  readonly values: readonly Value[];
}

/** A document that was stored or deleted. */
export interface TouchedDocument {
  readonly id: string;
  /** The partition that it is in, or was; null when it was deleted and nobody knows. */
  readonly partition: string | null;
}

/** What was stored or deleted in a collection; emptied: it is gone, or another one is in its place. */
export type TouchedIn = readonly TouchedDocument[] | 'all' | 'emptied';

/** By the names of collections; all: any of them may be gone. */
export type Touched = ReadonlyMap<string, TouchedIn> | 'all';

/** Where a projection stands in the log. It is stored together with the documents, so that both always agree. */
export interface Checkpoint {
  /** Everything up to here is in the documents, but for what is parked; START while they are built. */
  readonly position: Position;
  /** The last event of the log that was seen. Where it is not in the log any more, it is another log. */
  readonly last: Mark | null;
  /** A later record of another service: the subscription may go on after it, as long as it is there. */
  readonly passed: Mark | null;
  /** How far the documents are built; null once they are. */
  readonly building: Building | null;
  /** By stream, at most one each. */
  readonly parked: readonly ParkedStream[];
  /** Whether the documents have come to an end of the log since they were begun: before that nobody reads them. */
  readonly isBuilt: boolean;
  /** Whether a part of the event after the position is in the documents already: it is applied again until its last part is. */
  readonly isBetween: boolean;
}

/** Where a stream is parked. */
export type ParkedAt = Pick<ParkedStream, 'stream' | 'revision' | 'event' | 'release' | 'underWay'>;

export const toParkedAt = ({ stream, revision, event, release, underWay }: ParkedAt): ParkedAt => ({
  stream,
  revision,
  event,
  release,
  underWay,
});

/** How far documents are built that are made group by group. */
export interface Building {
  /** Where the log ended when that began: each group is applied up to there. */
  readonly upTo: Position;
  /** The last group whose documents are stored, as GroupBatch has it; null while that is none, so that nothing can be gone on with. */
  readonly group: string | null;
}

/** A stream whose event cannot be applied: it and all that come after it in the stream wait. */
export interface ParkedStream {
  readonly stream: string;
  /** Of the event that cannot be applied, or that a release has come to which is under way. */
  readonly revision: Revision;
  readonly position: Position;
  /** The event's id. */
  readonly event: string;
  readonly type: string;
  readonly error: string;
  readonly stack: string;
  /** RFC 3339 */
  readonly at: string;
  /** The number of the last release that ended at this event again; 0 where none was tried. */
  readonly release: number;
  /** The number of the release that has applied what came before this event, and is to go on; 0 where none is. */
  readonly underWay: number;
}

/** What a projection's documents are made with; another one needs a rebuild. */
export interface ProjectionIdentity {
  readonly name: string;
  readonly version: number;
  readonly collections: readonly Collection[];
}

/** The stored projection is not as this writer left it: another instance writes it, or its own last commit failed. Nothing was written. */
export class LeaseLost extends Error {
  constructor() {
    super('Another instance has the lease of the projection');
  }
}

/** A document was to be inserted that is stored already. Nothing was written. */
export class AlreadyThere extends Error {
  constructor(cause: unknown) {
    super('A document that is new to its projection is stored already', { cause });
  }
}

/** Who projects, as far as one process can tell. */
export interface LeaseStatus {
  readonly isHeld: boolean;
  /** Null when no instance does. */
  readonly holder: string | null;
  /** RFC 3339 */
  readonly since: string | null;
  /** Of the checkpoint. */
  readonly position: Position;
  readonly parked: readonly ParkedAt[];
}

/** Who may project what, where several processes share the read models. */
export interface Leases {
  /**
   * To be called again and again: says that this process is alive, and takes the leases that are free or whose holder is
   * not; gives those back that are not named. Gives where those and others stand. What the holder before writes after `prepare` is refused with LeaseLost.
   */
  keep(projections: readonly string[], others?: readonly string[]): Promise<ReadonlyMap<string, LeaseStatus>>;
  /** Gives all back. */
  release(): Promise<void>;
}

/** What is stored of a projection that is being built, to go on with it. */
export type StoredDocuments = Pick<ReadModelStore, 'scan' | 'close'>;

/** Documents and checkpoints. Every adapter passes `test/contract/read-models.ts`. */
export interface ReadModelStore extends ReadModels {
  /** What answers at once, of the projections that are written here. Left out where a server is asked, or a thread. */
  readonly atOnce?: {
    get(collection: Collection, id: string): Stored<object> | undefined;
    ids(collection: Collection, column: string, value: string): readonly string[];
  };
  /** Those that are there of some ids, in any order. Left out where one at a time is as fast. */
  readonly getMany?: (collection: Collection, ids: readonly string[]) => Promise<Stored<object>[]>;
  /** The ids of the documents whose column has a value, in any order. */
  ids(collection: Collection, column: string, value: string): Promise<string[]>;
  /**
   * Makes this store the only writer of the projection, whose commits come after all earlier ones; makes the collections
   * ready and says where the projection stands: undefined when it starts from nothing, because it is new, or its version or
   * collections differ from what is stored (which is then dropped).
   */
  prepare(projection: ProjectionIdentity): Promise<Checkpoint | undefined>;
  /** Drops what a projection has stored, checkpoint included, and makes its collections anew. */
  reset(projection: ProjectionIdentity): Promise<void>;
  /**
   * Stores documents and checkpoint in one transaction: all of it or nothing. After a failure it may be stored all the same:
   * `prepare` says whether it is.
   *
   * @throws LeaseLost when another writer has prepared the projection since
   * @throws AlreadyThere where one of the documents was that it was to insert
   */
  commit(projection: ProjectionIdentity, writes: readonly Write[], checkpoint: Checkpoint): Promise<void>;
  /**
   * Takes in documents of a projection that is built: the next commit stores them as well.
   *
   * @throws AlreadyThere here, or at the commit
   */
  insert(projection: ProjectionIdentity, documents: readonly NewDocuments[]): Promise<void>;
  /** So many of them can be taken in before a commit, and few more; left out: any number. */
  readonly maxInserted?: number;
  /** The checkpoint that is stored under a projection's name. */
  checkpointOf(name: string): Promise<Checkpoint | undefined>;
  /**
   * Documents as they are stored, in the order of their ids by code point.
   *
   * @param after the id that they come after; '' for the first
   */
  scan(collection: Collection, after: string, limit: number): Promise<readonly StoredText[]>;
  /** Drops all that is stored under a projection's name; nothing when nothing is. */
  drop(name: string): Promise<void>;
  /** Left out where no other process can project. */
  readonly leases?: Leases;
  close(): Promise<void>;
}
