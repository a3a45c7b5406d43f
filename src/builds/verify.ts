import { setImmediate, setTimeout as delay } from 'node:timers/promises';
import { compareByCodePoint } from '../lib/compare-by-code-point.ts';
import { START_POSITION } from '../event-store/port.ts';
import { canonicalJson } from '../schema/json.ts';
import { collectionMapperOf } from '../projector/build-projection.ts';
import type { Projection } from '../projector/projection.ts';
import type { Collection, ReadModelStore, StoredDocumentText } from '../read-models/port.ts';
import type { DocumentDifference, Verification } from './build-schema.ts';
import { differingFields } from './differences.ts';

const PAGE_SIZE = 500;
/** So many differences are reported in full. */
const MAX_REPORTED = 20;
/** So many documents that seem to differ are compared again after all others, and further ones at once. */
const MAX_SUSPECTS = 10_000;
const SETTLE_MS = 30_000;
const PAUSE_MS = 20;

type Store = Pick<ReadModelStore, 'get' | 'scan' | 'checkpointOf'>;

/** A document in both builds; undefined where it is missing. */
interface Pair {
  readonly id: string;
  readonly active: StoredDocumentText | undefined;
  readonly built: StoredDocumentText | undefined;
}

/** `uncompared`: the builds did not stand at one position in time. */
type Verdict = 'same' | 'differs' | 'uncompared';

interface VerifyOptions {
  /** The time of the report, RFC 3339. */
  readonly now: () => string;
  readonly signal: AbortSignal;
  /** How long, in all, documents that seem to differ may take until both builds stand at one position. */
  readonly settleMs?: number;
}

interface Suspect {
  readonly collection: Collection;
  readonly id: string;
}

/** All documents of a collection, page by page; other tasks run in between. */
async function* scanned(
  { scan }: Store,
  collection: Collection,
): AsyncGenerator<StoredDocumentText, undefined, undefined> {
  for (let after = ''; ;) {
    const page = await scan(collection, after, PAGE_SIZE);
    yield* page;
    const last = page.at(-1);
    if (!last || page.length < PAGE_SIZE) return;
    after = last.id;
    await setImmediate();
  }
}

/** The documents of two collections side by side, in the order of their ids. */
async function* paired(store: Store, active: Collection, built: Collection): AsyncGenerator<Pair, void, undefined> {
  const [ours, theirs] = [scanned(store, active), scanned(store, built)];
  let [a, b] = [(await ours.next()).value, (await theirs.next()).value];
  while (a ?? b) {
    const order = a && b ? compareByCodePoint(a.id, b.id) : a ? -1 : 1;
    const pair = { id: (order <= 0 ? a : b)?.id ?? '', active: order <= 0 ? a : undefined };
    yield { ...pair, built: order >= 0 ? b : undefined };
    if (order <= 0) a = (await ours.next()).value;
    if (order >= 0) b = (await theirs.next()).value;
  }
}

const canonical = ({ text }: StoredDocumentText): string => canonicalJson(JSON.parse(text));

const isSame = ({ active, built }: Pair): boolean =>
  active !== undefined && built !== undefined && (active.text === built.text || canonical(active) === canonical(built));

const toDifference = (collection: string, { id, active, built }: Pair): DocumentDifference => ({
  collection,
  id,
  isIn: active && built ? 'both' : active ? 'live' : 'built',
  fields: active && built ? differingFields(JSON.parse(active.text), JSON.parse(built.text)) : [],
});

/**
 * Compares the documents of two builds of a projection, to both of which events may still be applied. Documents that
 * seem to differ are compared again, for 30 s in all, until both builds stand at one position: a difference between two
 * positions is none. Those that never stood so are counted as not compared.
 *
 * @param active the id of that build, and `built` as well
 */
export const verifyBuild = async (
  store: Store,
  { collections }: Projection,
  { active, built }: { readonly active: string; readonly built: string },
  { now, signal, settleMs = SETTLE_MS }: VerifyOptions,
): Promise<Verification> => {
  let [activeCount, builtCount, total, uncompared] = [0, 0, 0, 0];
  const differences: DocumentDifference[] = [];
  const checkpoints = async () => [await store.checkpointOf(active), await store.checkpointOf(built)];
  const [inActive, inBuilt] = [collectionMapperOf(active), collectionMapperOf(built)];

  const count = ({ name }: Collection, pair: Pair, verdict: Verdict): void => {
    const { active: ours, built: theirs } = pair;
    if (ours) activeCount++;
    if (theirs) builtCount++;
    if (verdict === 'same' || !(ours ?? theirs)) return;
    if (verdict === 'uncompared') {
      uncompared++;
      return;
    }
    total++;
    if (differences.length < MAX_REPORTED) differences.push(toDifference(name, pair));
  };

  const one = async (collection: Collection, id: string): Promise<StoredDocumentText | undefined> => {
    const stored = await store.get(collection, id);
    return stored && { id, text: JSON.stringify(stored.doc) };
  };

  const suspects: Suspect[] = [];
  let deadline: number | undefined;
  /** Counts a document once it is the same in both builds, or they stand at one position, or the time is up. */
  const settle = async ({ collection, id }: Suspect): Promise<void> => {
    deadline ??= performance.now() + settleMs;
    for (;;) {
      signal.throwIfAborted();
      const atFirst = await checkpoints();
      const ours = await one(inActive(collection), id);
      const pair = { id, active: ours, built: await one(inBuilt(collection), id) };
      const all = [...atFirst, ...(await checkpoints())];
      // An event that changes very many documents may have changed some of them only.
      const isBetween = all.some((each) => each?.isBetween);
      const isStill = new Set(all.map((each) => each?.position)).size === 1 && !isBetween;
      const verdict = isSame(pair) ? 'same' : isStill ? 'differs' : 'uncompared';
      if (verdict !== 'uncompared' || performance.now() > deadline) {
        count(collection, pair, verdict);
        return;
      }
      await delay(PAUSE_MS);
    }
  };
  for (const collection of collections)
    for await (const pair of paired(store, inActive(collection), inBuilt(collection))) {
      signal.throwIfAborted();
      if (isSame(pair)) count(collection, pair, 'same');
      else if (suspects.length < MAX_SUSPECTS) suspects.push({ collection, id: pair.id });
      else await settle({ collection, id: pair.id });
    }
  for (const suspect of suspects) await settle(suspect);

  const { position = START_POSITION } = (await checkpoints())[0] ?? {};
  return {
    at: now(),
    position,
    live: activeCount,
    built: builtCount,
    liveHash: '0',
    builtHash: String(total + uncompared),
    total,
    ...(uncompared > 0 && { uncompared }),
    differences,
  };
};
