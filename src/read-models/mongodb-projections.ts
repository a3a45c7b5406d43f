import { hostname } from 'node:os';
import type { Collection as MongoCollection, Db } from 'mongodb';
import { START } from '../event-store/port.ts';
import { newUuid } from '../uuid.ts';
import { answered } from './mongodb-answers.ts';
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
/** In which a look is answered; shorter than a lease, so that one that is lost in the net costs none. */
const LOOK_MS = 2_500;

export const projectionsOf = (db: Db): MongoCollection<ProjectionRecord> => db.collection('projections');

/** The record of a projection, made when missing. */
export const recordOf = async (
  records: MongoCollection<ProjectionRecord>,
  name: string,
): Promise<ProjectionRecord> => {
  const nothing = { definition: null, collections: [], position: null, log: null };
  const free = { fence: 0, beat: 0, holder: null, since: null };
  const record = await answered(() =>
    records.findOneAndUpdate(
      { _id: name },
      { $setOnInsert: { ...nothing, ...free } },
      { upsert: true, returnDocument: 'after' },
    ),
  );
  if (!record) throw new Error(`The projection ${name} has no record`);
  return record;
};

/** Who projects what, when several processes share the read models. */
export const createLeases = (
  open: () => Promise<MongoCollection<ProjectionRecord>>,
): Leases & {
  /** The number of the lease that this process has; 0 without one. */
  readonly fenceOf: (projection: string) => number;
  /** Takes a projection from whoever has a newer lease, and has the next one begin from nothing. */
  readonly revoke: (projection: string, fence: number) => Promise<void>;
} => {
  const me = `${hostname()}:${process.pid}:${newUuid()}`;
  const fences = new Map<string, number>();
  /** When the beat of another's lease was last seen to change. */
  const seen = new Map<string, { readonly fence: number; readonly beat: number; readonly at: number }>();
  let beatAt = -Infinity;
  let statuses: ReadonlyMap<string, LeaseStatus> = new Map();

  const isBeatDue = () => performance.now() - beatAt >= BEAT_MS;
  const beat = async (): Promise<void> => {
    if (fences.size === 0 || !isBeatDue()) return;
    const mine = { _id: { $in: [...fences.keys()] }, holder: me };
    await answered(async () => (await open()).updateMany(mine, { $inc: { beat: 1 } }), LOOK_MS);
    beatAt = performance.now();
  };

  const isMine = ({ _id, fence, holder }: ProjectionRecord): boolean =>
    holder === me && fences.get(_id) === fence;

  const hasRunOut = ({ _id, fence, beat: count, holder }: ProjectionRecord): boolean => {
    // Our own name without our number: it was taken, and the answer did not arrive.
    if (holder === null || holder === me) return true;
    const last = seen.get(_id);
    if (last?.fence === fence && last.beat === count) return performance.now() - last.at >= LEASE_MS;
    seen.set(_id, { fence, beat: count, at: performance.now() });
    return false;
  };

  /**
   * The record as it is after it was looked at: taken, if it was free and nobody else was faster. What was lost since the
   * last look is not taken in this one, so that whoever projects learns of it and begins anew.
   */
  const tryToTake = async (record: ProjectionRecord): Promise<ProjectionRecord> => {
    const { _id, fence, beat: count } = record;
    if (isMine(record) || fences.has(_id) || !hasRunOut(record)) return record;
    const taken = await answered(
      async () =>
        (await open()).findOneAndUpdate(
          { _id, fence, beat: count },
          { $set: { holder: me, since: new Date() }, $inc: { fence: 1, beat: 1 } },
          { returnDocument: 'after' },
        ),
      LOOK_MS,
    );
    if (taken) fences.set(_id, taken.fence);
    return taken ?? record;
  };

  /** Others may have them at once, if they want them. */
  const giveBack = async (names: readonly string[]): Promise<void> => {
    if (names.length === 0) return;
    for (const name of names) fences.delete(name);
    const mine = { _id: { $in: [...names] }, holder: me };
    await answered(async () => (await open()).updateMany(mine, { $set: { holder: null } }), LOOK_MS);
  };

  const statusOf = (record: ProjectionRecord): LeaseStatus => ({
    isHeld: isMine(record),
    holder: record.holder,
    since: record.since?.toISOString() ?? null,
    position: record.position ?? START,
  });

  return {
    fenceOf: (projection) => fences.get(projection) ?? 0,
    async revoke(projection, fence) {
      const free = { position: null, log: null, holder: null };
      const newer = { _id: projection, fence: { $gt: fence } };
      await answered(async () => (await open()).updateOne(newer, { $set: free, $inc: { fence: 1 } }));
    },
    async keep(projections) {
      await giveBack([...fences.keys()].filter((name) => !projections.includes(name)));
      // Who has them all learns nothing new in between.
      if (!isBeatDue() && projections.every((name) => fences.has(name))) return statuses;
      await beat();
      const wanted = { _id: { $in: [...projections] } };
      const records = await answered(async () => (await open()).find(wanted).toArray(), LOOK_MS);
      const found = new Map(records.map((record) => [record._id, record]));
      const now = new Map<string, LeaseStatus>();
      for (const name of projections) {
        const record = found.get(name) ?? (await recordOf(await open(), name));
        const status = statusOf(await tryToTake(record));
        if (!status.isHeld) fences.delete(name);
        now.set(name, status);
      }
      return (statuses = now);
    },
    async list() {
      const all = await answered(async () => (await open()).find().toArray());
      return new Map(all.map((record) => [record._id, statusOf(record)]));
    },
    async release() {
      fences.clear();
      const mine = { holder: me };
      await answered(async () => (await open()).updateMany(mine, { $set: { holder: null } }), LOOK_MS);
    },
  };
};
