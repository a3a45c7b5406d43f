import { existsSync } from 'node:fs';
import type { LogLoss } from '../builds/registry.ts';
import {
  toLogIdentityReader,
  compareLogIdentity,
  describeMissingEvents,
  type LogIdentityComparison,
} from '../event-store/identity.ts';
import { START_POSITION, type EventPointer } from '../event-store/port.ts';
import { using } from '../lib/using.ts';
import {
  openConcurrentEventLog,
  buildRegistryFileOf,
  type EventStoreSettings,
  type ConcurrentEventLog,
  type StoreSettings,
} from '../stores.ts';
import { readSeenByBuilds, toReadModelEvidence, type ForeignBuild, type LogEvidence } from './seen-by-builds.ts';

/** An event log, compared with what the build registry and the builds have seen of it. */
export interface LogFinding {
  readonly stores: StoreSettings;
  /** The store, in words. */
  readonly where: string;
  /** Its first event, whose id is its identity; undefined where it has none. */
  readonly first: EventPointer | undefined;
  /** What there is instead of events, in words. */
  readonly missing: string | undefined;
  readonly comparison: LogIdentityComparison;
  /** Undefined where nothing shows that there were events. */
  readonly evidence: LogEvidence | undefined;
  readonly foreign: readonly ForeignBuild[];
  /** What an older log lacks of what was seen, in words. */
  readonly lack: string | undefined;
  /** What was found lost of it earlier, and is not there again. */
  readonly logLoss: LogLoss | undefined;
  /** Whether it holds business events that no build has been made from. */
  readonly isUnseen: boolean;
}

type ExaminedLog = Pick<ConcurrentEventLog, 'head' | 'readAll' | 'readStream' | 'recordAt' | 'shareOf'>;

/** An event log that was just begun has fewer events. */
const MANY = 20;

const NOTHING = { readAll: () => Promise.resolve([]), recordAt: () => Promise.resolve(undefined) };

const placeOf = (settings: EventStoreSettings): string =>
  settings.kind === 'sqlite'
    ? settings.path
    : `EVENT_STORE_URL${settings.prefix === '' ? '' : ` (streams ${settings.prefix}…)`}`;

/** Why a file is no event log with events, and what shows that it was one. */
const missingFile = async ({ eventStore, readModels }: StoreSettings) => {
  if (eventStore.kind !== 'sqlite') return undefined;
  const { diagnoseMissingLog, findLogEvidence } = await import('../event-store/embedded/log-file.ts');
  const missing = diagnoseMissingLog(eventStore.path);
  if (!missing) return undefined;
  const { text, hasTables } = missing;
  // The event log is made before the build registry.
  if (!hasTables && readModels.kind === 'sqlite' && existsSync(buildRegistryFileOf(readModels)))
    return { text, evidence: toReadModelEvidence(readModels) };
  const file = findLogEvidence(eventStore.path);
  const evidence: LogEvidence | undefined =
    file === undefined ? undefined : { text: `${file} is there`, remedy: `move ${file} elsewhere` };
  return { text, evidence };
};

/**
 * Looks at an event log that a service is to run on, or runs on. It changes nothing, and makes no file.
 *
 * @param opened the event log, where it is open already; left out: it is opened
 */
export const examineLog = async (stores: StoreSettings, opened?: ExaminedLog): Promise<LogFinding> => {
  const { eventStore, readModels } = stores;
  const [file, seen] = [await missingFile(stores), await readSeenByBuilds(readModels)];
  const where = placeOf(eventStore);
  const known = { stores, where, foreign: seen.foreign, lack: undefined, logLoss: undefined, isUnseen: false };
  const examine = async (log: ExaminedLog): Promise<LogFinding> => {
    const comparison = await compareLogIdentity(seen, toLogIdentityReader(log));
    const first = await toLogIdentityReader(log).first();
    const missing = first ? undefined : `${where} holds no events`;
    const lack = comparison.kind === 'older' ? await describeMissingEvents(log, comparison.lacks) : undefined;
    const isUnseen = !seen.evidence && (await log.readAll(START_POSITION, MANY)).length === MANY;
    const { evidence, logLoss: lost } = seen;
    const isMissing =
      lost?.log === first?.id && lost && (await toLogIdentityReader(log).idAt(lost.last.position)) !== lost.last.id;
    const logLoss = isMissing ? lost : undefined;
    return { ...known, first, missing, comparison, evidence, lack, logLoss, isUnseen };
  };
  if (file) {
    const comparison = await compareLogIdentity(seen, toLogIdentityReader(NOTHING));
    const evidence = seen.evidence ?? file.evidence;
    return { ...known, first: undefined, missing: file.text, comparison, evidence };
  }
  return opened
    ? examine(opened)
    : using(
        openConcurrentEventLog(eventStore, () => undefined),
        examine,
      );
};
