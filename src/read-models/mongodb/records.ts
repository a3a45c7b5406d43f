import type { Collection as MongoCollection, Db } from 'mongodb';
import type { Checkpoint } from '../port.ts';

/** What is kept of a projection beside its documents; each commit changes it together with them. */
export interface ProjectionRecord {
  readonly _id: string;
  /** Version and collections as they were when the documents were made. */
  readonly definition: string | null;
  readonly collections: readonly string[];
  /** The fencing token: grows with each commit and each writer, and every commit names the one that it comes after. */
  readonly revision: number;
  /** Null while there is none. */
  readonly checkpoint: Checkpoint | null;
}

/** Who has the lease of a projection: it says who may begin, and the record's revision sees to it. */
export interface LeaseRecord {
  readonly _id: string;
  /** Null: free to be taken. */
  readonly holder: string | null;
  readonly since: Date | null;
  /** Grows as long as the holder is alive. */
  readonly heartbeat: number;
  /** Of the holder's transactions, in hexadecimal; the next holder ends what is left of them. */
  readonly session?: string | null;
}

export const projectionsOf = (db: Db): MongoCollection<ProjectionRecord> => db.collection('projections');
export const leasesOf = (db: Db): MongoCollection<LeaseRecord> => db.collection('leases');
