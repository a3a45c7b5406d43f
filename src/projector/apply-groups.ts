import { createPlaceholderContent } from '../event-store/foreign-event.ts';
import type { EventLog, GroupBatch, GroupReadOptions, RecordedEvent } from '../event-store/port.ts';
import { isObject } from '../schema/json.ts';
import { createInMemoryApplier, toLazilyDecodedEvent, type LazilyDecodedEvent } from './apply-event.ts';
import type { PoisonEvent } from './parked-streams.ts';
import { handlerOf, type Projection } from './projection.ts';
import { memoizeByIdentity } from '../lib/memoize-by-identity.ts';
import { createRowEncoder, rowWidthOf } from '../read-models/columns.ts';
import type {
  GroupBuildProgress,
  Collection,
  NewDocumentRows,
  ParkedStream,
  ReadModelStore,
  InterruptedBuildReader,
  StoredDocumentText,
  ColumnValue,
  DocumentWrite,
} from '../read-models/port.ts';

/** A projection to build group by group, from the beginning or from where that was interrupted. */
interface BuildStart {
  readonly projection: Projection;
  /** Not applied: streams, each from a revision on. */
  readonly parked: readonly Pick<ParkedStream, 'stream' | 'revision'>[];
  /** Whether a part of it is stored, at which it resumes. */
  readonly isBegun: boolean;
}

/** Opens what is stored of a projection that resumes, by its name. */
type OpenInterruptedBuild = (projection: string) => Promise<InterruptedBuildReader>;

/** Projections that are built from the same events; a thread is given them by name. */
export interface GroupBuildRequest<Start = BuildStart> {
  readonly starts: readonly Start[];
  readonly read: GroupReadOptions;
  /** After so many documents, or a few more, a point to resume at is stored. */
  readonly maxDocuments: number;
  /** So many milliseconds after the last such point, another one is stored where a group ends. */
  readonly everyMs: number;
}
export type SerializableGroupBuildRequest = GroupBuildRequest<
  Omit<BuildStart, 'projection'> & { readonly name: string }
>;

/** Stored with all that came before: a build can resume there. */
interface ResumePoint {
  readonly group: GroupBuildProgress['group'];
  /** What has changed in shared collections since the last such point. */
  readonly shared: readonly DocumentWrite[];
}

/** What a batch of events yields for one projection. @typeParam Documents those of groups that have ended */
export interface BuildPart<Documents = readonly NewDocumentRows[]> {
  /** Its name. */
  readonly projection: string;
  readonly documents: Documents;
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
export type ApplyGroups = (build: GroupBuildRequest, signal: AbortSignal) => AsyncIterable<BuildPart>;

/** Most changed shared documents stored together, and few more: each is in memory twice on its way. */
const MAX_SHARED = 1_000;
/** Documents read at once. */
const PAGE_SIZE = 1_000;

const soundOf = (event: RecordedEvent): RecordedEvent => {
  if (!isObject(event.data)) return { ...event, ...createPlaceholderContent('data') };
  if (!isObject(event.metadata)) return { ...event, ...createPlaceholderContent('metadata') };
  return event;
};

/** The events of a batch, group by group. */
export const parseGroupEvents = ({ texts }: GroupBatch): RecordedEvent[][] =>
  // An event store of this service has written these texts.
  texts.map((text) => (JSON.parse(text) as RecordedEvent[]).map(soundOf));

/** The stored documents of a build that resumes, in the collections that its groups share. */
async function* sharedDocuments(
  { name, shared = [] }: Projection,
  openBuilding: OpenInterruptedBuild,
): AsyncGenerator<readonly DocumentWrite[], void, undefined> {
  const { scan, close } = await openBuilding(name);
  try {
    for (const collection of shared)
      for (let after: string | undefined = ''; after !== undefined;) {
        const page: readonly StoredDocumentText[] = await scan(collection, after, PAGE_SIZE);
        // The text is a document's JSON.
        yield page.map(({ id, text }) => ({ collection, id, doc: JSON.parse(text) as object }));
        after = page.at(-1)?.id;
      }
  } finally {
    await close();
  }
}

const createGroupBuilder = async (
  { projection, parked, isBegun }: BuildStart,
  openBuilding: OpenInterruptedBuild,
  { maxDocuments, everyMs }: Pick<GroupBuildRequest, 'maxDocuments' | 'everyMs'>,
) => {
  const { documents, stored, poisons, apply } = createInMemoryApplier(projection, parked);
  const shared = new Set(projection.shared);
  const isShared = (collection: Collection) => shared.has(collection);
  if (isBegun) for await (const page of sharedDocuments(projection, openBuilding)) stored.committed(page);
  let group: GroupBuildProgress['group'] = null;
  let waiting = 0;
  let steppedAt = performance.now();

  const resumePoint = (): ResumePoint => {
    waiting = 0;
    steppedAt = performance.now();
    const changed = documents.take(isShared);
    stored.committed(changed);
    // One that came and went again was never stored.
    return { group, shared: changed.filter(({ doc, isNew }) => doc !== null || !isNew) };
  };

  const isDue = (isOver: boolean): boolean => {
    const sharedSize = documents.sizeOf(isShared);
    const isFull = sharedSize >= MAX_SHARED || waiting + sharedSize >= maxDocuments;
    // Only the first group is stored in parts: a build interrupted there begins again, and loses nothing else.
    return isOver ? isFull || performance.now() - steppedAt >= everyMs : isFull && group === null;
  };

  return (
    groups: readonly (readonly LazilyDecodedEvent[])[],
    { ended, of }: Pick<GroupBatch, 'ended' | 'of'>,
    isLast = false,
  ): BuildPart<readonly DocumentWrite[]> => {
    let finished: readonly DocumentWrite[] = [];
    let [events, applied] = [0, 0];
    for (const [index, each] of groups.entries()) {
      events += each.length;
      const own = each.filter(({ type }) => handlerOf(projection, type));
      own.forEach(apply);
      applied += own.length;
      if (ended !== undefined || index < groups.length - 1)
        finished = finished.concat(documents.take((collection) => !isShared(collection)).filter(({ doc }) => doc));
    }
    group = ended ?? group;
    waiting += finished.length;
    const name = projection.name;
    const part = { projection: name, documents: finished, poisons: poisons.splice(0), events, applied, of };
    return isLast || isDue(ended !== undefined) ? { ...part, resumeAt: resumePoint() } : part;
  };
};

/**
 * Applies events group by group: each document of a group is made once, and nothing is read of the store but the shared
 * documents of a build that resumes. The outcome does not depend on how streams interleave.
 *
 * @param isMeant whether an event is to be applied
 */
export async function* applyByGroups(
  { starts, read, ...size }: GroupBuildRequest,
  readGroups: EventLog['readGroups'],
  openBuilding: OpenInterruptedBuild,
  signal: AbortSignal,
  isMeant: (event: RecordedEvent) => boolean = () => true,
): AsyncGenerator<BuildPart<readonly DocumentWrite[]>, void, undefined> {
  const builds = await Promise.all(starts.map((start) => createGroupBuilder(start, openBuilding, size)));
  for await (const batch of readGroups(read, signal)) {
    const groups = parseGroupEvents(batch).map((events) => events.filter(isMeant).map(toLazilyDecodedEvent));
    for (const build of builds) yield build(groups, batch);
  }
  for (const build of builds) yield build([], { ended: undefined }, true);
}

const toRows = memoizeByIdentity(createRowEncoder);

/** Documents as rows of text, which are cheap to pass to another thread. */
const toNewDocuments = (documents: readonly DocumentWrite[]): NewDocumentRows[] => {
  const values = new Map<Collection, ColumnValue[]>();
  for (const { collection, id, doc } of documents) {
    let own = values.get(collection);
    if (!own) values.set(collection, (own = []));
    if (doc) own.push(...toRows(collection)({ id, doc }));
  }
  return Array.from(values, ([collection, own]) => ({
    collection: collection.name,
    count: own.length / rowWidthOf(collection),
    values: own,
  }));
};

/** Builds projections from nothing, group by group. */
export const createBuildGroupApplier = (
  readGroups: EventLog['readGroups'],
  openBuilding: OpenInterruptedBuild,
): ApplyGroups =>
  async function* (build, signal) {
    for await (const part of applyByGroups(build, readGroups, openBuilding, signal))
      yield { ...part, documents: toNewDocuments(part.documents) };
  };

/** Applies the events of builds in the thread that stores the documents. */
export const createLocalGroupApplier = (stores: {
  readonly eventStore: Pick<EventLog, 'readGroups'>;
  readonly readModels: Pick<ReadModelStore, 'scan'>;
}): ApplyGroups =>
  createBuildGroupApplier(stores.eventStore.readGroups, () =>
    Promise.resolve({ scan: stores.readModels.scan, close: () => Promise.resolve() }),
  );
