import { Type, type Static } from '../schema/typebox.ts';
import type { Position } from '../event-store/port.ts';
import { canonicalJson } from '../schema/json.ts';
import { createValidator } from '../schema/validation.ts';

/**
 * One collection of a projection. A document is JSON with its id beside it; a column is a top-level member that queries
 * filter and order by: a text (compared by code point), an integer or null.
 */
export interface Collection<Doc extends object = object> {
  /** Unique among all projections: lower-case letters, digits and `_`. */
  readonly name: string;
  /** The column (or `id`) that every query names: the unit of sharding. A document stays in its partition. */
  readonly partition: string;
  /** Each a list of columns (or `id`), in order. */
  readonly indexes: readonly (readonly string[])[];
  /** Never set; carries the document's type. */
  readonly document?: Doc;
}

/** Defines a collection; the compiler checks that its partition and indexes are members of the document. */
export const defineCollection = <Doc extends object>(
  collection: Collection<Doc> & {
    readonly partition: (keyof Doc & string) | 'id';
    readonly indexes: readonly (readonly ((keyof Doc & string) | 'id')[])[];
  },
): Collection<Doc> => collection;

/** Conditions on columns, all of which must hold. */
export type Condition =
  | string
  | number
  | { readonly in: readonly (string | number)[] }
  /** Literal text anywhere in the value, ignoring case (decisions, Name search). */
  | { readonly contains: string };
export type Filter<Doc> = { readonly [column in keyof Doc & string]?: Condition };
export type Order<Doc> = readonly (readonly [
  column: (keyof Doc & string) | 'id',
  direction: 'ascending' | 'descending',
])[];

export interface FindQuery<Doc> {
  readonly filter: Filter<Doc>;
  readonly order?: Order<Doc>;
  readonly skip?: number;
  readonly limit?: number;
}

export interface StoredDocument<Doc> {
  readonly id: string;
  readonly doc: Doc;
}

export interface StoredDocumentText {
  readonly id: string;
  /** JSON */
  readonly text: string;
}

/** The collection is missing or not built yet, so that an empty result would mean nothing. */
export class NotBuiltError extends Error {
  constructor(collection: string) {
    super(`The collection ${collection} is not built`);
  }
}

/** The reading half, which is all that queries see. */
export interface ReadModels {
  get<Doc extends object>(collection: Collection<Doc>, id: string): Promise<StoredDocument<Doc> | undefined>;
  find<Doc extends object>(collection: Collection<Doc>, find: FindQuery<Doc>): Promise<StoredDocument<Doc>[]>;
  count<Doc extends object>(collection: Collection<Doc>, filter: Filter<Doc>): Promise<number>;
}

/** Whether a result is still current; once false, it stays false. */
export interface ValidityFlag {
  readonly isCurrent: boolean;
}

/** Read models that record the validity of each read. */
export interface TrackedReads {
  readonly readModels: ReadModels;
  readonly validities: ReadonlySet<ValidityFlag>;
}

/** A document to store; deleted where `doc` is null. */
export interface DocumentWrite {
  readonly collection: Collection;
  readonly id: string;
  readonly doc: object | null;
  /** The partition of a deleted document, if known. */
  readonly partition?: string | undefined;
  /** No document is stored under this id: a cheaper insert will do. */
  readonly isNew?: boolean;
}

export type ColumnValue = string | number | null;

/** Documents new to a collection, as rows, which may come from another thread. */
export interface NewDocumentRows {
  readonly collection: string;
  readonly count: number;
  /** One row after another, as `createRowEncoder` makes them. */
  readonly values: readonly ColumnValue[];
}

export interface ChangedDocument {
  readonly id: string;
  /** The partition that it is or was in; null for a deleted document whose writer named none. */
  readonly partition: string | null;
}

/** What was stored or deleted in a collection; `emptied`: the collection is gone, or was replaced. */
export type CollectionChanges = readonly ChangedDocument[] | 'all' | 'emptied';

/** By collection name; `all`: any collection may be gone. */
export type ChangesByCollection = ReadonlyMap<string, CollectionChanges> | 'all';

/** How far a build by groups has come. */
const GroupBuildProgress = Type.Object({
  /** The end of the event log when the build began: each group is applied up to there. */
  upTo: Type.String(),
  /** The last group whose documents are stored, as `GroupBatch` names it; null: none, so the build starts over. */
  group: Type.Union([Type.String(), Type.Null()]),
});
export type GroupBuildProgress = Readonly<Static<typeof GroupBuildProgress>>;

/** A stream with a poison event: that event, which cannot be applied, and all later ones of the stream wait. */
const ParkedStream = Type.Object({
  stream: Type.String(),
  /** Of the poison event, or of the event that a release under way has come to. */
  revision: Type.Integer(),
  position: Type.String(),
  /** The event's id. */
  event: Type.String(),
  type: Type.String(),
  error: Type.String(),
  stack: Type.String(),
  /** RFC 3339 */
  at: Type.String(),
  /** The number of the last release that ended at this event again; 0 where none has. */
  release: Type.Integer(),
  /** The number of the release under way, which has applied the events before this one; 0 where none is. */
  underWay: Type.Integer(),
});
export type ParkedStream = Readonly<Static<typeof ParkedStream>>;

const NullableEventPointer = Type.Union([Type.Object({ position: Type.String(), id: Type.String() }), Type.Null()]);

const StoredCheckpoint = Type.Object({
  /** The first event of the event log; its id is the log's identity. Left out: by older code, or before any is seen. */
  first: Type.Optional(NullableEventPointer),
  /** Every event up to here is applied, except parked ones; START_POSITION while the documents are being built. */
  position: Type.String(),
  /** The last event that the projection has seen. An event log that does not hold it is another one. */
  last: NullableEventPointer,
  /** A later record of another service; the subscription may go on after it while it is there. */
  passed: NullableEventPointer,
  /** How far the build has come; null once it is complete. */
  building: Type.Union([GroupBuildProgress, Type.Null()]),
  /** At most one per stream. */
  parked: Type.Array(ParkedStream),
  /** Whether the documents have once reached the end of the event log; no query reads them before. */
  isBuilt: Type.Boolean(),
  /** Whether the event after `position` is partly applied: it is applied again until its last part is. */
  isBetween: Type.Boolean(),
});
/** Where a projection stands in the event log; stored together with the documents. */
export type Checkpoint = Readonly<Static<typeof StoredCheckpoint>>;

const checkCheckpoint = createValidator(StoredCheckpoint, 'checkpoint');

/** @throws SyntaxError for a text that this code cannot have written */
export const parseCheckpoint = (text: string): Checkpoint => {
  const checked = checkCheckpoint(JSON.parse(text));
  if (!checked.ok) throw new SyntaxError(`The read models cannot be read: ${checked.message}`);
  return checked.value;
};

export type ParkedStreamRef = Pick<ParkedStream, 'stream' | 'revision' | 'event' | 'release' | 'underWay'>;

export const toParkedStreamRef = ({
  stream,
  revision,
  event,
  release,
  underWay,
}: ParkedStreamRef): ParkedStreamRef => ({ stream, revision, event, release, underWay });

/** What a projection's documents are made with; a change needs a rebuild. */
export interface ProjectionIdentity {
  readonly name: string;
  readonly version: number;
  readonly collections: readonly Collection[];
}

/** What documents are made with, as text. Documents of another definition or storage layout are rebuilt. */
export const definitionTextOf = (layout: number, { version, collections }: ProjectionIdentity): string =>
  canonicalJson({ layout, version, collections });

/**
 * The stored projection is not as this writer left it: another instance writes it, or this writer's last commit failed.
 * Nothing was written.
 */
export class LeaseLostError extends Error {
  constructor() {
    super('Another instance has the lease of the projection');
  }
}

/** A document to insert is stored already. Nothing was written. */
export class DuplicateInsertError extends Error {
  constructor(cause: unknown) {
    super('A document that is new to its projection is stored already', { cause });
  }
}

/** What was stored of a build is damaged, and was set aside: the build begins anew. */
export class DamagedBuildError extends Error {
  readonly build: string;

  constructor(build: string, cause: unknown) {
    super(`What was stored of ${build} is damaged: ${cause instanceof Error ? cause.message : String(cause)}`, {
      cause,
    });
    this.build = build;
  }
}

/** The lease of a projection, as far as this process knows. */
export interface LeaseStatus {
  readonly isHeld: boolean;
  /** Null when no instance holds it. */
  readonly holder: string | null;
  /** RFC 3339 */
  readonly since: string | null;
  /** Of the checkpoint. */
  readonly position: Position;
  readonly parked: readonly ParkedStreamRef[];
}

/** Which process may run which projections, where several share the read models. */
export interface Leases {
  /**
   * To be called periodically. Renews the heartbeat, takes the leases of `projections` that are free or have run out,
   * and gives back held leases of other projections. Returns the status of all named. After `prepare` the previous
   * holder's writes are refused with LeaseLostError.
   */
  keep(projections: readonly string[], others?: readonly string[]): Promise<ReadonlyMap<string, LeaseStatus>>;
  release(): Promise<void>;
}

/** Reads the documents of a projection that is being built. */
export type InterruptedBuildReader = Pick<ReadModelStore, 'scan' | 'close'>;

/** Documents and checkpoints. Every adapter passes `test/contract/read-models.ts`. */
export interface ReadModelStore extends ReadModels {
  /** Synchronous reads of the projections that this store writes. Left out where a server or a thread is asked. */
  readonly atOnce?: {
    get(collection: Collection, id: string): StoredDocument<object> | undefined;
    ids(collection: Collection, column: string, value: string): readonly string[];
  };
  /** The ids of the documents whose column has a value, in any order. */
  ids(collection: Collection, column: string, value: string): Promise<string[]>;
  /**
   * Makes this store the only writer of the projection, whose commits come after all earlier ones, and makes the
   * collections ready. Returns the checkpoint; undefined when the projection starts from nothing: it is new, or its
   * version or collections differ from the stored ones, which are dropped.
   */
  prepare(projection: ProjectionIdentity): Promise<Checkpoint | undefined>;
  /** Drops all that a projection has stored, checkpoint included, and makes its collections anew. */
  reset(projection: ProjectionIdentity): Promise<void>;
  /**
   * Stores documents and checkpoint in one transaction. After a failure they may be stored all the same: `prepare`
   * tells.
   *
   * @throws LeaseLostError when another writer has prepared the projection since
   * @throws DuplicateInsertError when a document to insert is stored already
   */
  commit(projection: ProjectionIdentity, writes: readonly DocumentWrite[], checkpoint: Checkpoint): Promise<void>;
  /**
   * Takes in documents of a build, which the next commit stores. @throws DuplicateInsertError here, or at the commit
   */
  insert(projection: ProjectionIdentity, documents: readonly NewDocumentRows[]): Promise<void>;
  /** How many documents can be taken in before a commit, or a few more; left out: any number. */
  readonly maxInserted?: number;
  checkpointOf(name: string): Promise<Checkpoint | undefined>;
  /** The stored documents that come after an id, in the order of their ids by code point; '' begins with the first. */
  scan(collection: Collection, after: string, limit: number): Promise<readonly StoredDocumentText[]>;
  /**
   * Sets aside what is stored under a projection's name, because a reader has found it damaged: `prepare` begins anew.
   * Tells whether anything was there. Left out where a server looks after its files.
   */
  setAside?(name: string): Promise<boolean>;
  /** Drops all that is stored under a projection's name; nothing when nothing is. */
  drop(name: string): Promise<void>;
  /** Left out where no other process can run projections. */
  readonly leases?: Leases;
  close(): Promise<void>;
}
