import type { Position } from '../event-store/port.ts';

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
  /** Of the last event folded into the document. */
  readonly position: Position;
}

/** A document as text. */
export interface StoredText {
  readonly id: string;
  readonly position: Position;
  /** JSON */
  readonly text: string;
}

/** The reading half, which is all that queries see. */
export interface ReadModels {
  get<Doc extends object>(collection: Collection<Doc>, id: string): Promise<Stored<Doc> | undefined>;
  find<Doc extends object>(collection: Collection<Doc>, find: Find<Doc>): Promise<Stored<Doc>[]>;
  count<Doc extends object>(collection: Collection<Doc>, filter: Filter<Doc>): Promise<number>;
  /** Those that are there of some ids, in any order. Left out where one at a time is as fast. */
  readonly getMany?: (collection: Collection, ids: readonly string[]) => Promise<Stored<object>[]>;
}

/** A document to be stored, or deleted where it is null. */
export interface Write {
  readonly collection: Collection;
  readonly id: string;
  readonly doc: object | null;
  readonly position: Position;
  /** Where a deleted document was, if that is known. */
  readonly partition?: string | undefined;
  /** None was stored under this id as far as is known; a hint. */
  readonly isNew?: boolean;
}

/** A document that was stored or deleted. */
export interface TouchedDocument {
  readonly id: string;
  /** The partition that it is in, or was; null when it was deleted and nobody knows. */
  readonly partition: string | null;
}

/** By the names of collections, what was stored or deleted in them. */
export type Touched = ReadonlyMap<string, readonly TouchedDocument[] | 'all'> | 'all';

export interface Checkpoint {
  /** Everything up to here is in the documents; START while they are built from the streams. */
  readonly position: Position;
  /** The id of the first event of the log it belongs to: another log needs a rebuild. */
  readonly log: string;
  /** How far they are built. */
  readonly building?: Building | undefined;
}

/** How far documents are built that are made stream by stream. */
export interface Building {
  /** Where the log ended when that began: each stream is folded up to there. */
  readonly upTo: Position;
  /** What the event store goes on after. */
  readonly after: string;
}

/** What a projection's documents are made with; another one needs a rebuild. */
export interface ProjectionIdentity {
  readonly name: string;
  readonly version: number;
  readonly collections: readonly Collection[];
}

/** Another process has taken over the projection: what was to be written is not. */
export class LeaseLost extends Error {
  constructor() {
    super('Another process has the lease of the projection');
  }
}

/** Who projects, as far as one process can tell. */
export interface LeaseStatus {
  readonly isHeld: boolean;
  /** Null when nobody does. */
  readonly holder: string | null;
  /** RFC 3339 */
  readonly since: string | null;
  /** The checkpoint. */
  readonly position: Position;
}

/** Who may project what, where several processes share the read models. */
export interface Leases {
  /**
   * To be called again and again: says that this process is alive, and takes the leases that are free or whose holder is
   * not; gives those back that are not named. What is written later under a lease that was lost is refused with LeaseLost.
   */
  keep(projections: readonly string[]): Promise<ReadonlyMap<string, LeaseStatus>>;
  /** Gives all back. */
  release(): Promise<void>;
  /** Where all stand, for whoever only looks. */
  list(): Promise<ReadonlyMap<string, LeaseStatus>>;
}

/** Documents and checkpoints. Every adapter passes `test/contract/read-models.ts`. */
export interface ReadModelStore extends ReadModels {
  /**
   * Makes the collections ready and says where the projection stands: undefined when it starts from nothing, because it
   * is new, was not stored as far as a checkpoint, or its version or collections differ from what is stored (which is then dropped).
   */
  prepare(projection: ProjectionIdentity): Promise<Checkpoint | undefined>;
  /** Drops what a projection has stored, checkpoint included, and makes its collections anew. */
  reset(projection: ProjectionIdentity): Promise<void>;
  /**
   * Stores documents, in the given order, and the checkpoint: a checkpoint never passes a document that is not stored.
   *
   * It is seen through this store at once, and by others after the next flush at the latest. After a failure it, or the
   * next flush, may reject because documents were lost that were committed before: fold them again from the checkpoint.
   *
   * @param checkpoint left out: what is stored until there is one is dropped by the next `prepare`
   */
  commit(
    projection: ProjectionIdentity,
    writes: readonly Write[],
    checkpoint: Checkpoint | undefined,
  ): Promise<void>;
  /** Makes all that was committed visible to others, and lasting. */
  flush(): Promise<void>;
  /** The checkpoint that is stored under a projection's name. */
  checkpointOf(name: string): Promise<Position | undefined>;
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
