import { setImmediate } from 'node:timers/promises';
import type { EventLog } from '../../event-store/port.ts';
import { applyByGroups, type BuildPart } from '../../projector/apply-groups.ts';
import { EVENT_PARTITION_KEY, typesApplied } from '../../projector/projection.ts';
import { partitionOf } from '../../read-models/columns.ts';
import type { Collection, StoredDocument, DocumentWrite } from '../../read-models/port.ts';
import { isObject, type JsonObject } from '../../schema/json.ts';
import { Identifier } from '../../schema/schema.ts';
import type { Mask, UserIdLookup } from './mask.ts';
import { createMomentFilter, type MomentCutoff } from './moment.ts';
import { createSingleRowReadModels } from './in-memory-read-models.ts';
import { answerItemSchemaOf, userIdOfDocument, type HistoryReadModel } from './history-read-models.ts';

/** Events read at once. */
const BATCH = 1_000;
const MAX_DOCUMENTS = 10_000;

/** The schema of a row: an item of the list, with its partition, or the answer itself where it is one row. */
export const rowSchemaOf = (readModel: HistoryReadModel): Readonly<Record<string, unknown>> => {
  const item = answerItemSchemaOf(readModel);
  if (item === readModel.response || !isObject(item)) return { ...readModel.response };
  const own = isObject(item['properties']) ? item['properties'] : {};
  return { ...item, properties: { [readModel.by]: Identifier, ...own } };
};

/** The documents that a part of a build writes into a collection. */
const writesIn = (
  { documents, resumeAt }: BuildPart<readonly DocumentWrite[]>,
  collection: Collection | undefined,
): readonly DocumentWrite[] =>
  [...documents, ...(resumeAt?.shared ?? [])].filter((write) => write.collection === collection);

/** The user of each professional in this part. A professional and its rows are always in the same part. */
const usersOf = ({ professionals }: HistoryReadModel, part: BuildPart<readonly DocumentWrite[]>): UserIdLookup => {
  const users = new Map(writesIn(part, professionals).map(({ id, doc }) => [id, userIdOfDocument(doc)]));
  return (id) => users.get(id);
};

/**
 * All rows of a read model at a moment, as its query answers them, made by the projection's own code from the event
 * log, group by group. Personal members are masked; `withheld` lists what is withheld from a row, if anything is.
 *
 * @param onEvents told how many events are applied, and of how many, if that is known
 */
export async function* readModelRowsAt(
  log: Pick<EventLog, 'readGroups'>,
  readModel: HistoryReadModel,
  moment: MomentCutoff,
  {
    mask,
    signal,
    onEvents,
  }: {
    readonly mask: Mask;
    readonly signal: AbortSignal;
    readonly onEvents?: (applied: number, of: number | undefined) => void;
  },
): AsyncGenerator<readonly JsonObject[], void, undefined> {
  const { projection, rows, ask } = readModel;
  const schema = rowSchemaOf(readModel);
  const withheld = mask.withheldFrom(schema);
  const rowOf = async (row: StoredDocument<object>, userOf: UserIdLookup): Promise<readonly JsonObject[]> => {
    const partition = partitionOf({ collection: rows, ...row }) ?? '';
    const answer = await ask(partition, createSingleRowReadModels(rows, row));
    return answer.rows.map((each) => ({
      ...mask.show(schema, { [readModel.by]: partition, ...each }, userOf),
      ...(withheld.length > 0 && { withheld }),
    }));
  };
  const rowsOf = async (documents: readonly StoredDocument<object>[], userOf: UserIdLookup = () => undefined) =>
    (await Promise.all(documents.map((row) => rowOf(row, userOf)))).flat();

  const build = {
    starts: [{ projection, parked: [], isBegun: false }],
    read: { by: EVENT_PARTITION_KEY, types: typesApplied([projection]), upTo: moment.position, batchSize: BATCH },
    maxDocuments: MAX_DOCUMENTS,
    everyMs: Infinity,
  };
  // A collection that all groups share changes until the last one.
  const isShared = projection.shared?.includes(rows) === true;
  const last = new Map<string, object | null>();
  let applied = 0;
  const parts = applyByGroups(
    build,
    (read, abort) => log.readGroups(read, abort),
    () => Promise.reject(new Error('Nothing is resumed')),
    signal,
    createMomentFilter(moment),
  );
  for await (const part of parts) {
    applied += part.events;
    onEvents?.(applied, part.of);
    const documents = writesIn(part, rows);
    if (isShared) for (const { id, doc } of documents) last.set(id, doc);
    else
      yield await rowsOf(
        documents.flatMap(({ id, doc }) => (doc ? [{ id, doc }] : [])),
        usersOf(readModel, part),
      );
    // Reading a file never waits: without this an abort would not be seen.
    await setImmediate();
  }
  if (isShared) yield await rowsOf([...last].flatMap(([id, doc]) => (doc ? [{ id, doc }] : [])));
}
