import type { Collection as MongoCollection, Db } from 'mongodb';
import type { Checkpoint } from '../port.ts';

/** The record of a projection; each commit changes it together with the documents. */
export interface ProjectionRecord {
  readonly _id: string;
  /** Version and collections as they were when the documents were made. */
  readonly definition: string | null;
  readonly collections: readonly string[];
  /** The fencing token: grows with each commit and new writer; every commit names the one it comes after. */
  readonly revision: number;
  readonly checkpoint: Checkpoint | null;
}

/** The lease of a projection: says which instance may begin to write; the record's revision enforces it. */
export interface LeaseRecord {
  readonly _id: string;
  /** Null: free to be taken. */
  readonly holder: string | null;
  readonly since: Date | null;
  /** Grows as long as the holder is alive. */
  readonly heartbeat: number;
  /** Of the holder's transactions, in hexadecimal; the next holder kills it. */
  readonly session?: string | null;
}

export const projectionRecordsCollection = (db: Db): MongoCollection<ProjectionRecord> => db.collection('projections');
export const leaseRecordsCollection = (db: Db): MongoCollection<LeaseRecord> => db.collection('leases');
