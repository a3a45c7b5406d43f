import type { DomainEvent } from '../../domain/index.ts';
import type { ApplicableEvent } from '../../projector/applier.ts';
import type { Change } from '../../projector/changes.ts';
import { MemoryDocuments } from '../../projector/memory-documents.ts';
import { toPoisonEvent, type EventPlace, type PoisonEvent } from '../../projector/parking.ts';
import { handlerOf } from '../../projector/projection.ts';
import type { Stored } from '../../read-models/port.ts';
import type { JsonObject } from '../../schema/json.ts';
import type { Mask, UserOf } from './mask.ts';
import type { Path } from './members.ts';
import { readsOfOne } from './reads.ts';
import { shownAnswer, userOfDocument, usersIn, type ShownReadModel } from './shown.ts';

/** A row's document before and after an event; null where there is none. */
export interface RowChange {
  readonly id: string;
  readonly before: object | null;
  readonly after: object | null;
}

/** An event that did something, with who asked for it. */
export interface Cause extends EventPlace {
  readonly recordedAt: string;
  readonly actor: string;
  readonly requestId: string;
}

const causeOf = (
  { id, type, position, stream, revision }: EventPlace,
  { metadata: { recordedAt, actor, requestId } }: DomainEvent,
): Cause => ({ position, type, stream, revision, id, recordedAt, actor, requestId });

/** A member of a row, and the event that made it what it is. */
export interface MemberCause {
  readonly path: Path;
  readonly by: Cause;
}

interface Effect {
  readonly cause: Cause;
  /** Those whose documents it changed, and those of a professional whose profile now names another user. */
  readonly rows: readonly RowChange[];
  /** Whom the profiles named before it. */
  readonly usersBefore: UserOf;
}

/**
 * A projection's documents in memory, as events are applied to them one after another; at first there are none. A poison
 * event parks its stream, as in the service.
 */
export const beginApplying = (readModel: ShownReadModel) => {
  const { projection, rows, professionals } = readModel;
  const documents = new MemoryDocuments();
  const users = usersIn(readModel, documents);
  const poisons: PoisonEvent[] = [];
  const parked = new Set<string>();

  const rowChanges = (changes: readonly Change[], usersBefore: UserOf): RowChange[] => {
    const before = new Map<string, object | null>();
    const note = (id: string, doc: object | null): void => {
      if (!before.has(id)) before.set(id, doc);
    };
    for (const change of changes) if (change.collection === rows) note(change.id, change.before?.doc ?? null);
    for (const { collection, id } of changes)
      if (collection === professionals && usersBefore(id) !== users(id))
        for (const row of documents.ids(rows, 'professionalId', id))
          note(row, documents.get(rows, row) ?? null);
    return Array.from(before, ([id, doc]) => ({ id, before: doc, after: documents.get(rows, id) ?? null }));
  };

  const usersBeforeAll =
    (changes: readonly Change[]): UserOf =>
    (id) => {
      const change = changes.find((each) => each.collection === professionals && each.id === id);
      if (!change) return users(id);
      return userOfDocument(change.before?.doc);
    };

  return {
    documents,
    /** Whom the profiles name now. */
    users,
    /** The first event of each stream that cannot be applied. */
    poisons,
    /** Undefined for an event that is not applied: it cannot be, or its stream waits for one that cannot. */
    apply(each: ApplicableEvent): Effect | undefined {
      const handler = handlerOf(projection, each.type);
      if (!handler || parked.has(each.stream)) return undefined;
      try {
        const event = each.event();
        if (!event) return undefined;
        const changes = documents.handle(() => handler(event, documents));
        const usersBefore = usersBeforeAll(changes);
        return { cause: causeOf(each, event), rows: rowChanges(changes, usersBefore), usersBefore };
      } catch (error) {
        parked.add(each.stream);
        poisons.push(toPoisonEvent(each, error));
        return undefined;
      }
    },
  };
};

/**
 * The row that a document shows as; undefined for none, and for one that is not shown. Rows are compared as they are
 * shown: whether what is withheld has changed would tell something of it.
 */
export const rowOf = async (
  readModel: ShownReadModel,
  partition: string,
  { documents }: Pick<ReturnType<typeof beginApplying>, 'documents'>,
  { id, doc }: { readonly id: string; readonly doc: object | null },
  mask: Mask,
  users: UserOf,
): Promise<JsonObject | undefined> => {
  if (!doc) return undefined;
  const row: Stored<object> = { id, doc };
  const answer = readModel.ask(partition, readsOfOne(documents, readModel.rows, row));
  return (await shownAnswer(readModel, answer, mask, users)).rows[0];
};
