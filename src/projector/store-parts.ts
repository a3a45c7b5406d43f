import { partitionKeyOf, type EventLog, type EventPointer } from '../event-store/port.ts';
import { EMPTY_CHECKPOINT } from './applier.ts';
import { createParkedStreams, type ParkingOptions, type PoisonEvent } from './parked-streams.ts';
import { EVENT_PARTITION_KEY, handlerOf, type Projection } from './projection.ts';
import { LeaseLostError, type Checkpoint, type ReadModelStore, type DocumentWrite } from '../read-models/port.ts';
import type { BuildPart } from './apply-groups.ts';

/** The events of a projection are not grouped as it says: it is to be built in the order of the event log. */
export class NotGroupedError extends Error {}

interface PartStoreOptions {
  readonly eventStore: Pick<EventLog, 'readStream'>;
  readonly readModels: Pick<ReadModelStore, 'insert' | 'commit' | 'maxInserted'>;
  readonly parking: ParkingOptions | undefined;
  /** Whether this still is the build that writes the projection. */
  readonly isCurrent: () => boolean;
}

/** A group may have so many times the documents of a commit, since a group is stored whole. */
const MAX_OVER = 4;

/** Writes that may be another thread's, of collections that a store knows as its own. */
const ownWrites = ({ collections }: Projection, writes: readonly DocumentWrite[]): DocumentWrite[] => {
  const named = new Map(collections.map((collection) => [collection.name, collection]));
  return writes.map((write) => ({ ...write, collection: named.get(write.collection.name) ?? write.collection }));
};

/** Stores the parts of a projection's build from where it has begun, up to the last event that it is to apply. */
export const createBuildPartStore = (
  projection: Projection,
  begun: Checkpoint,
  upTo: EventPointer,
  { eventStore, readModels, parking: how, isCurrent }: PartStoreOptions,
) => {
  const { insert, commit, maxInserted = Infinity } = readModels;
  const parking = createParkedStreams(begun.parked, how);
  let waiting = 0;
  let sinceCheckpoint = 0;

  /** Before each write: this process may have lost the lease and taken it again, for another run of the build. */
  const refuseOldBuild = (): void => {
    if (!isCurrent()) throw new LeaseLostError();
  };

  /** Events after a poison event wait in its stream: no other group may have applied one. @throws NotGroupedError */
  const refuseAppliedLater = async ({ stream, revision, type }: PoisonEvent): Promise<void> => {
    const [first, ...others] = await eventStore.readStream(stream, revision);
    const group = first && partitionKeyOf(first.data, EVENT_PARTITION_KEY);
    const isApplied = others.some(
      (each) =>
        each.position <= upTo.position &&
        handlerOf(projection, each.type) &&
        partitionKeyOf(each.data, EVENT_PARTITION_KEY) !== group,
    );
    if (group !== '' && isApplied) throw new NotGroupedError(`Events of ${stream} after a ${type} are of other groups`);
  };

  return {
    /** Resolves to the part's checkpoint, if any. @throws NotGroupedError, PoisonEventError or LeaseLostError */
    async store({ documents, poisons, resumeAt }: BuildPart): Promise<Checkpoint | undefined> {
      for (const poison of poisons) {
        await refuseAppliedLater(poison);
        parking.park(poison, 0);
      }
      waiting += documents.reduce((sum, { count }) => sum + count, 0);
      if (waiting > MAX_OVER * maxInserted)
        throw new NotGroupedError(`A group has more documents than one transaction takes: ${waiting}`);
      refuseOldBuild();
      await insert(projection, documents);
      sinceCheckpoint++;
      if (!resumeAt) return undefined;
      const building = { upTo: upTo.position, group: resumeAt.group };
      const checkpoint = { ...EMPTY_CHECKPOINT, last: upTo, building, parked: parking.all() };
      refuseOldBuild();
      await commit(projection, ownWrites(projection, resumeAt.shared), checkpoint);
      waiting = 0;
      sinceCheckpoint = 0;
      return checkpoint;
    },
    /** How many parts were stored since the last checkpoint. */
    sinceCheckpoint: () => sinceCheckpoint,
    /** Of the finished build: queries may read it, since it has come to where the event log ended. */
    whole: (): Checkpoint => ({
      ...EMPTY_CHECKPOINT,
      position: upTo.position,
      last: upTo,
      parked: parking.all(),
      isBuilt: true,
    }),
  };
};
export type BuildPartStore = ReturnType<typeof createBuildPartStore>;
