import { foreignContent } from '../event-store/foreign-event.ts';
import type { EventLog, GroupBatch, GroupRead, RecordedEvent } from '../event-store/port.ts';
import { isObject } from '../schema/json.ts';
import { toApplicable, type ApplicableEvent } from './applier.ts';
import { toPoisonEvent, type PoisonEvent } from './parking.ts';
import { handlerOf, type Projection } from './projection.ts';
import type {
  Building,
  NewDocuments,
  ParkedStream,
  ReadModelStore,
  StoredDocuments,
  StoredText,
} from '../read-models/port.ts';
import { GroupDocuments, type SharedDocument } from './group-documents.ts';

/** A projection to build group by group, from the beginning or from where that was interrupted. */
export interface BuildStart {
  readonly projection: Projection;
  /** Not applied: streams, each from a revision on. */
  readonly parked: readonly Pick<ParkedStream, 'stream' | 'revision'>[];
  /** Whether a part of it is stored, at which it resumes. */
  readonly isBegun: boolean;
}

/** Opens what is stored of a projection that resumes, by its name. */
export type OpenBuilding = (projection: string) => Promise<StoredDocuments>;

/** Projections that are built from the same events; a thread is given them by name. */
export interface GroupBuild<Start = BuildStart> {
  readonly starts: readonly Start[];
  readonly read: GroupRead;
  /** After so many documents, or a few more, a point to resume at is stored. */
  readonly maxDocuments: number;
  /** So many milliseconds after the last such point, another one is stored where a group ends. */
  readonly everyMs: number;
}
export type NamedBuild = GroupBuild<Omit<BuildStart, 'projection'> & { readonly name: string }>;

/** Stored with all that came before: a build can resume there. */
export interface ResumePoint {
  readonly group: Building['group'];
  readonly shared: readonly SharedDocument[];
}

/** What a batch of events yields for one projection. */
export interface BuildPart {
  /** Its name. */
  readonly projection: string;
  /** Of groups that have ended. */
  readonly documents: readonly NewDocuments[];
  /** Poison events: each parks its stream. */
  readonly poisons: readonly PoisonEvent[];
  /** How many events were read, for all projections, and how many of them this one applies. */
  readonly events: number;
  readonly applied: number;
  /** How many events there are to read, as far as known. */
  readonly of: number | undefined;
  /** Where the build can resume once this is stored, if it can. */
  readonly resumeAt?: ResumePoint;
}

/** Applies the events of a build; ends early when the signal is aborted. */
export type ApplyGroups = (build: GroupBuild, signal: AbortSignal) => AsyncIterable<BuildPart>;

/** Most changed shared documents stored together, and few more: each is in memory twice on its way. */
const MAX_SHARED = 1_000;
/** Documents read at once. */
const PAGE = 1_000;

const soundOf = (event: RecordedEvent): RecordedEvent => {
  if (!isObject(event.data)) return { ...event, ...foreignContent('data') };
  if (!isObject(event.metadata)) return { ...event, ...foreignContent('metadata') };
  return event;
};

/** The events of a batch, group by group. */
export const eventsIn = ({ texts }: GroupBatch): RecordedEvent[][] =>
  // An event store of this service has written these texts.
  texts.map((text) => (JSON.parse(text) as RecordedEvent[]).map(soundOf));

/** The documents that a build begins with: the stored shared ones where it resumes, else none. */
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
  { maxDocuments, everyMs }: Pick<GroupBuild, 'maxDocuments' | 'everyMs'>,
) => {
  const parkedFrom = new Map(parked.map(({ stream, revision }) => [stream, revision]));
  let group: Building['group'] = null;
  let waiting = 0;
  let steppedAt = performance.now();
  let poisons: PoisonEvent[] = [];

  const apply = (each: ApplicableEvent): boolean => {
    const handler = handlerOf(projection, each.type);
    if (!handler) return false;
    if (each.revision >= (parkedFrom.get(each.stream) ?? Infinity)) return true;
    try {
      const event = each.event();
      if (event) documents.handle(() => handler(event, documents));
    } catch (error) {
      // Not retried: the handler reads only memory.
      parkedFrom.set(each.stream, each.revision);
      poisons.push(toPoisonEvent(each, error));
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
    const isFull = sharedSize >= MAX_SHARED || waiting + sharedSize >= maxDocuments;
    // Only the first group is stored in parts: a build interrupted there begins again, and loses nothing else.
    return isOver ? isFull || performance.now() - steppedAt >= everyMs : isFull && group === null;
  };

  return (
    groups: readonly (readonly ApplicableEvent[])[],
    { ended, of }: Pick<GroupBatch, 'ended' | 'of'>,
    isLast = false,
  ): BuildPart => {
    let [events, applied] = [0, 0];
    for (const [index, each] of groups.entries()) {
      events += each.length;
      for (const event of each) if (apply(event)) applied++;
      if (ended !== undefined || index < groups.length - 1) documents.endGroup();
    }
    group = ended ?? group;
    const made = documents.takeOwn();
    waiting += made.reduce((sum, { count }) => sum + count, 0);
    const part = { projection: projection.name, documents: made, poisons, events, applied, of };
    poisons = [];
    return isLast || isDue(ended !== undefined) ? { ...part, resumeAt: resumePoint() } : part;
  };
};

/**
 * Builds projections from nothing, group by group: each document of a group is made once, and nothing is read of the
 * store but the shared documents of a build that resumes. The outcome does not depend on how streams interleave.
 *
 * @param isMeant whether an event is to be applied
 */
export const groupApplier = (
  readGroups: EventLog['readGroups'],
  openBuilding: OpenBuilding,
  isMeant: (event: RecordedEvent) => boolean = () => true,
): ApplyGroups =>
  async function* ({ starts, read, ...size }, signal) {
    const begun = starts.map(async (start) =>
      beginBuild(start, await documentsOf(start, openBuilding), size),
    );
    const builds = await Promise.all(begun);
    for await (const batch of readGroups(read, signal)) {
      const groups = eventsIn(batch).map((events) => events.filter(isMeant).map(toApplicable));
      for (const build of builds) yield build(groups, batch);
    }
    for (const build of builds) yield build([], { ended: undefined }, true);
  };

/** Applies the events of builds in the thread that stores the documents. */
export const applyGroupsHere = (stores: {
  readonly eventStore: Pick<EventLog, 'readGroups'>;
  readonly readModels: Pick<ReadModelStore, 'scan'>;
}): ApplyGroups =>
  groupApplier(stores.eventStore.readGroups, () =>
    Promise.resolve({ scan: stores.readModels.scan, close: () => Promise.resolve() }),
  );
