import { hostname } from 'node:os';
import type { Collection as MongoCollection, Db } from 'mongodb';
import { START } from '../event-store/port.ts';
import { newUuid } from '../uuid.ts';
import type { LeaseStatus, Leases } from './port.ts';

/** What is kept of a projection beside its documents. */
export interface ProjectionRecord {
  readonly _id: string;
  /** Version and collections as they were when the documents were made. */
  readonly definition: string | null;
  readonly collections: readonly string[];
  /** The checkpoint; null while there is none. */
  readonly position: string | null;
  readonly log: string | null;
  /** Grows with every holder: the fencing number of the lease. */
  readonly fence: number;
  /** Grows as long as the holder is alive. */
  readonly beat: number;
  /** Null: free to be taken. */
  readonly holder: string | null;
  readonly since: Date | null;
}

/** A lease whose beat stands still for so long has run out. Every watcher uses its own clock, so clocks may differ. */
const LEASE_MS = 5_000;
const BEAT_MS = 1_000;

export const projectionsOf = (db: Db): MongoCollection<ProjectionRecord> => db.collection('projections');

/** The record of a projection, made when missing. */
export const recordOf = async (
  records: MongoCollection<ProjectionRecord>,
  name: string,
): Promise<ProjectionRecord> => {
  const nothing = { definition: null, collections: [], position: null, log: null };
  const free = { fence: 0, beat: 0, holder: null, since: null };
  const record = await records.findOneAndUpdate(
    { _id: name },
    { $setOnInsert: { ...nothing, ...free } },
    { upsert: true, returnDocument: 'after' },
  );
  if (!record) throw new Error(`The projection ${name} has no record`);
  return record;
};

/** Who projects what, when several processes share the read models. */
export const createLeases = (
  open: () => Promise<MongoCollection<ProjectionRecord>>,
): Leases & { readonly fenceOf: (projection: string) => number } => {
  const me = `${hostname()}:${process.pid}:${newUuid()}`;
  const fences = new Map<string, number>();
  /** When the beat of another's lease was last seen to change. */
  const seen = new Map<string, { readonly fence: number; readonly beat: number; readonly at: number }>();
  let beatAt = -Infinity;
  let statuses: ReadonlyMap<string, LeaseStatus> = new Map();

  const isBeatDue = () => performance.now() - beatAt >= BEAT_MS;
  const beat = async (): Promise<void> => {
    if (fences.size === 0 || !isBeatDue()) return;
    const records = await open();
    await records.updateMany({ _id: { $in: [...fences.keys()] }, holder: me }, { $inc: { beat: 1 } });
    beatAt = performance.now();
  };

  const hasRunOut = ({ _id, fence, beat: count, holder }: ProjectionRecord): boolean => {
    if (holder === null) return true;
    const last = seen.get(_id);
    if (last?.fence === fence && last.beat === count) return performance.now() - last.at >= LEASE_MS;
    seen.set(_id, { fence, beat: count, at: performance.now() });
    return false;
  };

  /** The record as it is after it was looked at: taken, if it was free and nobody else was faster. */
  const tryToTake = async (record: ProjectionRecord): Promise<ProjectionRecord> => {
    if (record.holder === me || !hasRunOut(record)) return record;
    const { _id, fence, beat: count } = record;
    const records = await open();
    const taken = await records.findOneAndUpdate(
      { _id, fence, beat: count },
      { $set: { holder: me, since: new Date() }, $inc: { fence: 1, beat: 1 } },
      { returnDocument: 'after' },
    );
    if (taken) fences.set(_id, taken.fence);
    return taken ?? record;
  };

  const statusOf = ({ _id, holder, since, fence, position }: ProjectionRecord): LeaseStatus => {
    const isHeld = holder === me && fences.get(_id) === fence;
    if (!isHeld) fences.delete(_id);
    return { isHeld, holder, since: since?.toISOString() ?? null, position: position ?? START };
  };

  return {
    fenceOf: (projection) => fences.get(projection) ?? 0,
    async keep(projections) {
      // Who has them all learns nothing new in between.
      if (!isBeatDue() && projections.every((name) => fences.has(name))) return statuses;
      await beat();
      const records = await open();
      const found = new Map(
        (await records.find({ _id: { $in: [...projections] } }).toArray()).map((r) => [r._id, r]),
      );
      const now = new Map<string, LeaseStatus>();
      for (const name of projections) {
        const record = found.get(name) ?? (await recordOf(records, name));
        now.set(name, statusOf(await tryToTake(record)));
      }
      return (statuses = now);
    },
    async list() {
      const records = await open();
      return new Map((await records.find().toArray()).map((record) => [record._id, statusOf(record)]));
    },
    async release() {
      fences.clear();
      await (await open()).updateMany({ holder: me }, { $set: { holder: null } });
    },
  };
};
