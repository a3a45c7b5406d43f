import { hostname } from 'node:os';
import { Binary, type ClientSession } from 'mongodb';
import { START_POSITION } from '../../event-store/port.ts';
import { newUuid } from '../../lib/uuid.ts';
import type { RunOnDatabase } from './run-on-database.ts';
import { nullIfDuplicateKey } from './client.ts';
import {
  leaseRecordsCollection,
  projectionRecordsCollection,
  type LeaseRecord,
  type ProjectionRecord,
} from './records.ts';
import { LeaseLostError, toParkedStreamRef, type LeaseStatus, type Leases } from '../port.ts';

/** A lease runs out when its heartbeat stands still this long by the observing instance's clock: clocks may differ. */
const LEASE_MS = 5_000;
const HEARTBEAT_MS = 1_000;
/** Time limit of an operation on leases; shorter than a lease, so that one lost answer costs no lease. */
const TIMEOUT_MS = 2_500;

export interface MongoLeases extends Leases {
  /**
   * Records the session of the lease holder's next transactions, and kills the one before, of this or the last holder:
   * MongoDB keeps a dead process's transaction open for a minute, with its writes locked.
   *
   * @throws LeaseLostError when another instance has the lease
   */
  readonly begin: (projection: string, session: ClientSession) => Promise<void>;
}

/** Leases that say which instance runs which projection. */
export const createLeases = (ask: RunOnDatabase): MongoLeases => {
  const me = `${hostname()}:${process.pid}:${newUuid()}`;
  const held = new Set<string>();
  /** When the heartbeat of another instance's lease was last seen to change. */
  const seen = new Map<string, { readonly heartbeat: number; readonly at: number }>();
  let heartbeatAt = -Infinity;
  let statuses: ReadonlyMap<string, LeaseStatus> = new Map();

  const isHeartbeatDue = () => performance.now() - heartbeatAt >= HEARTBEAT_MS;
  const changeMine = (names: readonly string[] | undefined, change: object) =>
    ask(
      (db) => leaseRecordsCollection(db).updateMany({ holder: me, ...(names && { _id: { $in: names } }) }, change),
      TIMEOUT_MS,
    );

  const hasRunOut = ({ _id, heartbeat, holder }: LeaseRecord): boolean => {
    // This instance took the lease, but the answer did not arrive.
    if (holder === null || holder === me) return true;
    const last = seen.get(_id);
    if (last?.heartbeat === heartbeat) return performance.now() - last.at >= LEASE_MS;
    seen.set(_id, { heartbeat, at: performance.now() });
    return false;
  };

  /**
   * Takes a lease if it is free and no other instance is faster; returns it as it is then. A lease just lost is not
   * retaken at once, so that the projection runner learns of it and begins anew.
   */
  const tryToTake = async (name: string, lease: LeaseRecord | undefined): Promise<LeaseRecord | undefined> => {
    if (held.has(name) || (lease && !hasRunOut(lease))) return lease;
    const seenFree = { _id: name, heartbeat: lease?.heartbeat ?? 0 };
    const taking = { $set: { holder: me, since: new Date() }, $inc: { heartbeat: 1 } };
    const options = { returnDocument: 'after', upsert: !lease } as const;
    const taken = await ask(
      (db) => leaseRecordsCollection(db).findOneAndUpdate(seenFree, taking, options),
      TIMEOUT_MS,
    ).catch(nullIfDuplicateKey);
    if (taken) held.add(name);
    return taken ?? lease;
  };

  const statusOf = (
    name: string,
    lease: LeaseRecord | undefined,
    record: ProjectionRecord | undefined,
  ): LeaseStatus => ({
    isHeld: lease?.holder === me && held.has(name),
    holder: lease?.holder ?? null,
    since: lease?.since?.toISOString() ?? null,
    position: record?.checkpoint?.position ?? START_POSITION,
    parked: record?.checkpoint?.parked.map(toParkedStreamRef) ?? [],
  });

  const look = async (names: readonly string[]) => {
    const query = { _id: { $in: [...names] } };
    const [leases, records] = await Promise.all([
      ask((db) => leaseRecordsCollection(db).find(query).toArray(), TIMEOUT_MS),
      ask((db) => projectionRecordsCollection(db).find(query).toArray(), TIMEOUT_MS),
    ]);
    return {
      leases: new Map(leases.map((lease) => [lease._id, lease])),
      records: new Map(records.map((record) => [record._id, record])),
    };
  };

  return {
    async begin(name, session) {
      const mine = { _id: name, holder: me };
      const id = session.id?.id.toString('hex') ?? null;
      const before = await ask((db) => leaseRecordsCollection(db).findOneAndUpdate(mine, { $set: { session: id } }));
      if (!before) throw new LeaseLostError();
      if (!before.session) return;
      const old = new Binary(Buffer.from(before.session, 'hex'), Binary.SUBTYPE_UUID);
      await ask((db) => db.command({ killSessions: [{ id: old }] }));
    },
    async keep(projections, others = []) {
      const released = [...held].filter((name) => !projections.includes(name));
      for (const name of released) held.delete(name);
      if (released.length > 0) await changeMine(released, { $set: { holder: null } });
      const named = new Set([...projections, ...others]);
      // An instance that holds all of them learns nothing new between heartbeats.
      if (!isHeartbeatDue() && [...named].every((name) => held.has(name) && statuses.has(name))) return statuses;
      if (held.size > 0 && isHeartbeatDue()) {
        await changeMine([...held], { $inc: { heartbeat: 1 } });
        heartbeatAt = performance.now();
      }
      const { leases, records } = await look([...named]);
      const now = new Map<string, LeaseStatus>();
      for (const name of named) {
        const lease = leases.get(name);
        const mine = projections.includes(name) ? await tryToTake(name, lease) : lease;
        const status = statusOf(name, mine, records.get(name));
        if (!status.isHeld) held.delete(name);
        now.set(name, status);
      }
      return (statuses = now);
    },
    async release() {
      held.clear();
      await changeMine(undefined, { $set: { holder: null } });
    },
  };
};
