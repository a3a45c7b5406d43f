import { createInMemoryApplier, type LazilyDecodedEvent } from '../../projector/apply-event.ts';
import type { JournaledChange } from '../../projector/pending-changes.ts';
import type { EventHeader } from '../../projector/parked-streams.ts';
import type { StoredDocument } from '../../read-models/port.ts';
import type { JsonObject } from '../../schema/json.ts';
import { object, Timestamp } from '../../schema/schema.ts';
import { Type, type Static } from '../../schema/typebox.ts';
import type { UntypedEvent } from '../../streams/events.ts';
import type { Mask, UserIdLookup } from './mask.ts';
import { memberChangesBetween, LastChanges, type MemberPath } from './member-paths.ts';
import { createSingleRowReadModels } from './in-memory-read-models.ts';
import { maskedAnswer, userIdOfDocument, createUserIdLookup, type HistoryReadModel } from './history-read-models.ts';

/** A row's document before and after an event; null where there is none. */
interface RowChange {
  readonly id: string;
  readonly before: object | null;
  readonly after: object | null;
}

/** An event that did something, with who asked for it. */
export const Cause = object(
  {
    position: Type.String(),
    type: Type.String(),
    stream: Type.String(),
    revision: Type.Integer(),
    id: Type.String(),
    recordedAt: Timestamp,
    actor: Type.String(),
    requestId: Type.String(),
  },
  { title: 'Cause', description: 'The event that made it so.' },
);
export type Cause = Static<typeof Cause>;

const causeOf = (
  { id, type, position, stream, revision }: EventHeader,
  { metadata: { recordedAt, actor, requestId } }: UntypedEvent,
): Cause => ({ position, type, stream, revision, id, recordedAt, actor, requestId });

/** A member of a row, and the event that made it what it is. */
export interface MemberCause {
  readonly path: MemberPath;
  readonly by: Cause;
}

interface Effect {
  readonly cause: Cause;
  /** Those whose documents it changed, and those of a professional whose profile now names another user. */
  readonly rows: readonly RowChange[];
  /** Whom the profiles named before it. */
  readonly usersBefore: UserIdLookup;
}

/** A read model in memory, as events are applied to it one after another; at first it is empty. */
export const createInMemoryProjection = (readModel: HistoryReadModel) => {
  const { projection, rows, professionals } = readModel;
  const { documents, poisons, apply } = createInMemoryApplier(projection);
  const users = createUserIdLookup(readModel, documents);

  const rowChanges = (changes: readonly JournaledChange[], usersBefore: UserIdLookup): RowChange[] => {
    const before = new Map<string, object | null>();
    const note = (id: string, doc: object | null): void => {
      if (!before.has(id)) before.set(id, doc);
    };
    for (const change of changes) if (change.collection === rows) note(change.id, change.before?.doc ?? null);
    for (const { collection, id } of changes)
      if (collection === professionals && usersBefore(id) !== users(id))
        for (const row of documents.ids(rows, 'professionalId', id)) note(row, documents.get(rows, row) ?? null);
    return Array.from(before, ([id, doc]) => ({ id, before: doc, after: documents.get(rows, id) ?? null }));
  };

  const usersBeforeAll =
    (changes: readonly JournaledChange[]): UserIdLookup =>
    (id) => {
      const change = changes.find((each) => each.collection === professionals && each.id === id);
      return change ? userIdOfDocument(change.before?.doc) : users(id);
    };

  return {
    documents,
    /** Whom the profiles name now. */
    users,
    /** The first event of each stream that cannot be applied. */
    poisons,
    /** Undefined for an event that changes nothing, or cannot be applied, or waits for one that cannot. */
    apply(each: LazilyDecodedEvent): Effect | undefined {
      const changes = apply(each);
      const event = changes.length > 0 ? each.eventFor(projection) : undefined;
      if (!event) return undefined;
      const usersBefore = usersBeforeAll(changes);
      return { cause: causeOf(each, event), rows: rowChanges(changes, usersBefore), usersBefore };
    },
  };
};

/** A row as events change it: as it was before them, as it is now, and what has changed it. */
export interface TrackedRow {
  readonly first: JsonObject | undefined;
  now: JsonObject | undefined;
  readonly changes: LastChanges<Cause>;
}

/**
 * Applies events, and follows the rows of a partition that they change, by the ids of their documents. Rows are
 * compared as they are shown: whether what is withheld has changed would tell something of it.
 *
 * @param isFollowed asked of the id of a row
 */
export const trackRowChanges = async (
  readModel: HistoryReadModel,
  partition: string,
  applied: ReturnType<typeof createInMemoryProjection>,
  events: readonly LazilyDecodedEvent[],
  mask: Mask,
  isFollowed: (id: string) => boolean = () => true,
): Promise<ReadonlyMap<string, TrackedRow>> => {
  /** The row that a document shows as; undefined for none, and for one that is not shown. */
  const rowOf = async (id: string, doc: object | null, users: UserIdLookup): Promise<JsonObject | undefined> => {
    if (!doc) return undefined;
    const row: StoredDocument<object> = { id, doc };
    const answer = readModel.ask(partition, createSingleRowReadModels(readModel.rows, row, applied.documents));
    return (await maskedAnswer(readModel, answer, mask, users)).rows[0];
  };
  const rows = new Map<string, TrackedRow>();
  for (const each of events) {
    const effect = applied.apply(each);
    if (!effect) continue;
    for (const { id, before, after } of effect.rows.filter((row) => isFollowed(row.id))) {
      let row = rows.get(id);
      if (!row) {
        const first = await rowOf(id, before, effect.usersBefore);
        rows.set(id, (row = { first, now: first, changes: new LastChanges() }));
      }
      const now = await rowOf(id, after, applied.users);
      for (const { path } of memberChangesBetween(row.now, now)) row.changes.note(path, effect.cause);
      row.now = now;
    }
  }
  return rows;
};
