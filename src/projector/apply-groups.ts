import type { EventStore, GroupBatch, GroupRead } from '../event-store/port.ts';
import { toFoldable, type FoldableEvent } from './fold.ts';
import { poisonIn, type Poison } from './poison.ts';
import { handlerOf, type Projection } from './projection.ts';
import type {
  Building,
  NewDocuments,
  ParkedStream,
  ReadModelStore,
  StoredDocuments,
  StoredText,
} from '../read-models/port.ts';
import { eventsIn } from './events-in.ts';
import { GroupDocuments, type SharedDocument } from './group-documents.ts';

/** A projection that is built group by group, as it is begun or gone on with. */
export interface BuildStart {
  readonly projection: Projection;
  /** What is not applied: streams, each from a revision on. */
  readonly parked: readonly Pick<ParkedStream, 'stream' | 'revision'>[];
  /** Whether a part of it is stored, with which it is gone on. */
  readonly isBegun: boolean;
}

/** Opens what is stored of a projection that is gone on with, by its name. */
export type OpenBuilding = (projection: string) => Promise<StoredDocuments>;

/** When a build is to be stored, so that it can be gone on with. */
export interface ResumeInterval {
  /** So many documents wait, and few more. */
  readonly maxDocuments: number;
  /** Milliseconds since the one before. */
  readonly everyMs: number;
}

/** Some projections that are built of the same events. */
export interface GroupBuild extends ResumeInterval {
  readonly starts: readonly BuildStart[];
  readonly read: GroupRead;
}

/** The same, for a thread, which knows projections by their names. */
export interface NamedBuild extends Omit<GroupBuild, 'starts'> {
  readonly starts: readonly (Omit<BuildStart, 'projection'> & { readonly name: string })[];
}

/** What is stored with all that came before, to go on from there. */
export interface ResumePoint {
  readonly group: Building['group'];
  readonly shared: readonly SharedDocument[];
}

/** What one projection makes of a part of the events. */
export interface BuildPart {
  /** Its name. */
  readonly projection: string;
  /** Of groups that are over. */
  readonly documents: readonly NewDocuments[];
  /** Events that cannot be applied: each parks its stream. */
  readonly poisons: readonly Poison[];
  /** How many events were read, for all projections, and how many of them are of this one's types. */
  readonly events: number;
  readonly own: number;
  /** How many events there are to be read, as far as that is known by now. */
  readonly of: number | undefined;
  /** Where the build can be gone on with once this is stored; left out where it is not stored yet. */
  readonly resumeAt?: ResumePoint;
}

/** Applies the events of a build; ends early when the signal is aborted. */
export type ApplyGroups = (build: GroupBuild, signal: AbortSignal) => AsyncIterable<BuildPart>;

/** Changed documents of shared collections that are stored together at most, and few more: they are in memory twice on their way. */
const MOST_SHARED = 1_000;
/** Documents read at once. */
const PAGE = 1_000;

/** The documents with which a build begins: those of shared collections, where it is gone on with. */
const documentsOf = async (
  { projection, isBegun }: BuildStart,
  openBuilding: OpenBuilding,
): Promise<GroupDocuments> => {
  const shared = projection.grouping?.shared ?? [];
  const documents = new GroupDocuments(shared);
  if (!isBegun) return documents;
  const { scan, close } = await openBuilding(projection.name);
  try {
    for (const collection of shared)
      for (let after: string | undefined = ''; after !== undefined;) {
        const page: readonly StoredText[] = await scan(collection, after, PAGE);
        documents.restore(collection, page);
        after = page.at(-1)?.id;
      }
  } finally {
    await close();
  }
  return documents;
};

const beginBuild = (
  { projection, parked }: BuildStart,
  documents: GroupDocuments,
  { maxDocuments, everyMs }: ResumeInterval,
) => {
  const held = new Map(parked.map(({ stream, revision }) => [stream, revision]));
  let group: Building['group'] = null;
  let waiting = 0;
  let steppedAt = performance.now();
  let poisons: Poison[] = [];

  const apply = (each: FoldableEvent): boolean => {
    const handler = handlerOf(projection, each.type);
    if (!handler) return false;
    if (each.revision >= (held.get(each.stream) ?? Infinity)) return true;
    try {
      const event = each.event();
      if (event) documents.attempt(() => handler(event, documents));
    } catch (error) {
      // Not tried again: it has asked nothing but memory.
      held.set(each.stream, each.revision);
      poisons.push(poisonIn(each, error));
    }
    return true;
  };

  const resumePoint = (): ResumePoint => {
    waiting = 0;
    steppedAt = performance.now();
    return { group, shared: documents.takeShared() };
  };

  const isDue = (isOver: boolean): boolean => {
    const { sharedSize } = documents;
    const isFull = sharedSize >= MOST_SHARED || waiting + sharedSize >= maxDocuments;
    // Within the first group nothing else is stored; whoever comes after an interruption begins again.
    return isOver ? isFull || performance.now() - steppedAt >= everyMs : isFull && group === null;
  };

  return (
    groups: readonly (readonly FoldableEvent[])[],
    { ended, of }: Pick<GroupBatch, 'ended' | 'of'>,
    isLast = false,
  ): BuildPart => {
    let [events, own] = [0, 0];
    for (const [index, each] of groups.entries()) {
      events += each.length;
      for (const event of each) if (apply(event)) own++;
      if (ended !== undefined || index < groups.length - 1) documents.endGroup();
    }
    group = ended ?? group;
    const made = documents.takeOwn();
    waiting += made.reduce((sum, { count }) => sum + count, 0);
    const part = { projection: projection.name, documents: made, poisons, events, own, of };
    poisons = [];
    return isLast || isDue(ended !== undefined) ? { ...part, resumeAt: resumePoint() } : part;
  };
};

/**
 * Applies events group by group to projections that begin from nothing: each document of a group is made once, and nothing
 * is asked of a store. What a projection shows in the end does not depend on how the streams lie between each other.
 */
export const groupApplier = (readGroups: EventStore['readGroups'], openBuilding: OpenBuilding): ApplyGroups =>
  async function* ({ starts, read, ...size }, signal) {
    const begun = starts.map(async (start) =>
      beginBuild(start, await documentsOf(start, openBuilding), size),
    );
    const builds = await Promise.all(begun);
    for await (const batch of readGroups(read, signal)) {
      const groups = eventsIn(batch).map((events) => events.map(toFoldable));
      for (const build of builds) yield build(groups, batch);
    }
    for (const build of builds) yield build([], { ended: undefined }, true);
  };

/** Applies the events of builds in the thread that stores what comes of it. */
export const groupApplierHere = (stores: {
  readonly eventStore: Pick<EventStore, 'readGroups'>;
  readonly readModels: Pick<ReadModelStore, 'scan'>;
}): ApplyGroups =>
  groupApplier(stores.eventStore.readGroups, () =>
    Promise.resolve({ scan: stores.readModels.scan, close: () => Promise.resolve() }),
  );
