import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { decodeDomainEvent } from '../../domain/index.ts';
import { readAroundDamage } from '../../event-store/embedded/around-damage.ts';
import { describeLostPart, type EventsOrLoss } from '../../event-store/events-or-loss.ts';
import type { EventLog } from '../../event-store/port.ts';
import { readLogUpTo } from '../../event-store/read-log.ts';
import { systemClock } from '../../ports/clock.ts';
import { createReadModelFileCatalog } from '../../read-models/embedded/read-model-files.ts';
import { findIntegrityFaults } from '../../sqlite/integrity.ts';
import {
  checkCheckpoints,
  checkIdempotencyRecords,
  checkLog,
  createFindingCollector,
  type LogCheckResult,
  type FindingCollector,
} from '../../event-store/check-log.ts';
import {
  openConcurrentEventLog,
  openReadModelReader,
  buildRegistryFileOf,
  type EventStoreSettings,
  type StoreSettings,
} from '../../stores.ts';
import { createDroppedSubscriptionReporter } from '../parts/dropped-subscription.ts';
import { oneLine } from '../../lib/escape-invisible.ts';
import { oneLineReason } from '../parts/cli-error.ts';
import { loadExistingLogConfig } from '../parts/event-file.ts';
import { createProgressBar } from '../parts/progress-bar.ts';
import type { Terminal } from '../parts/terminal.ts';
import { using } from '../../lib/using.ts';
import { verifyProjections } from '../projections/rebuild.ts';
import { print, printJson } from '../parts/print.ts';

export interface CheckOptions {
  readonly deep?: true;
  readonly json?: true;
}

interface CheckedStores extends LogCheckResult {
  readonly idempotencyRecords: number;
}

const wholeFilesOf = (path: string): string[] => {
  const names = createReadModelFileCatalog(path);
  return names.projections().map((projection) => names.whole(projection));
};

const filesOf = ({ eventStore, readModels }: StoreSettings): string[] => [
  ...(eventStore.kind === 'sqlite' ? [eventStore.path] : []),
  ...(readModels.kind === 'sqlite' ? [buildRegistryFileOf(readModels), ...wholeFilesOf(readModels.path)] : []),
];

const checkFiles = (stores: StoreSettings, findings: FindingCollector): void => {
  for (const file of filesOf(stores).filter((name) => existsSync(name)))
    for (const fault of findIntegrityFaults(file)) findings.add(basename(file), oneLine(fault));
};

async function* readServer(log: EventLog): AsyncGenerator<EventsOrLoss, void> {
  for await (const events of readLogUpTo(log, await log.head())) yield { kind: 'events', events };
}

/** Runs one of the checks; where it fails as a whole, that is a finding. */
const runAsFinding = async <T>(
  where: string,
  findings: FindingCollector,
  check: () => T | Promise<T>,
): Promise<T | undefined> => {
  try {
    return await check();
  } catch (error) {
    findings.add(where, oneLineReason(error));
    return undefined;
  }
};

const readWhole = async (
  terminal: Terminal,
  settings: EventStoreSettings,
  findings: FindingCollector,
): Promise<LogCheckResult> => {
  const bar = createProgressBar(terminal.stderr, 'reading {value} events');
  const read = (parts: Iterable<EventsOrLoss> | AsyncIterable<EventsOrLoss>) =>
    checkLog({ parts, decode: decodeDomainEvent, onRead: (events) => bar.update(events) }, findings);
  bar.start(0, 0);
  try {
    return settings.kind === 'sqlite'
      ? await read(readAroundDamage(settings.path))
      : await using(openConcurrentEventLog(settings, createDroppedSubscriptionReporter(terminal)), (log) =>
          read(readServer(log)),
        );
  } finally {
    bar.stop();
  }
};

const checkStores = async (
  terminal: Terminal,
  { eventStore, readModels }: StoreSettings,
  findings: FindingCollector,
): Promise<CheckedStores> => {
  const open = () => openConcurrentEventLog(eventStore, createDroppedSubscriptionReporter(terminal));
  const nothing = { events: 0, streams: 0, noted: [], idempotencyRecords: 0 };
  const read = await runAsFinding('event log', findings, () => readWhole(terminal, eventStore, findings));
  // A server that does not answer is waited for once.
  if (!read && eventStore.kind !== 'sqlite') return nothing;
  const idempotencyRecords = await runAsFinding('idempotency records', findings, () =>
    using(open(), async (log) => {
      const records = await log.idempotencyRecords(systemClock().toISOString());
      await checkIdempotencyRecords(records, log, findings, read?.noted);
      return records.length;
    }),
  );
  await runAsFinding('checkpoints', findings, () =>
    using(open(), (log) =>
      using(openReadModelReader(readModels), async (reader) =>
        checkCheckpoints(await reader.checkpoints(), log, findings),
      ),
    ),
  );
  return { ...nothing, ...read, idempotencyRecords: idempotencyRecords ?? 0 };
};

const NOT_COMPARED = '; --deep also compares the read models with the events';

const summaryText = (
  { events, streams, idempotencyRecords, noted }: CheckedStores,
  total: number,
  isDeep: boolean,
): string =>
  `${events} events of ${streams} streams and ${idempotencyRecords} idempotency records: ` +
  (total === 0 ? 'sound' : `${total} ${total === 1 ? 'finding' : 'findings'}`) +
  (noted.length === 0 ? '' : ', beside what is noted as lost') +
  (isDeep || total > 0 ? '' : NOT_COMPARED);

const printResult = (
  { stdout }: Terminal,
  checked: CheckedStores,
  findings: FindingCollector,
  { json: isJson, deep }: CheckOptions,
): void => {
  const [kept, total] = [findings.kept(), findings.total()];
  if (isJson) {
    printJson(stdout, { ...checked, findings: kept, total });
    return;
  }
  for (const { where, what } of [...checked.noted.map(describeLostPart), ...kept]) print(stdout, `${where}: ${what}`);
  if (total > kept.length) print(stdout, `and ${total - kept.length} more`);
  print(stdout, summaryText(checked, total, deep === true));
};

/**
 * `hiring check`: whether the stores are sound, beside a service that may be running on them. It changes nothing by
 * itself; `--deep` also has all projections verified, which is recorded as an act. Resolves to whether all is sound.
 */
export const checkAllStores = async (terminal: Terminal, options: CheckOptions): Promise<boolean> => {
  const { deep, json } = options;
  const { stores } = loadExistingLogConfig(terminal);
  const findings = createFindingCollector();
  checkFiles(stores, findings);
  const checked = await checkStores(terminal, stores, findings);
  printResult(terminal, checked, findings, options);
  if (findings.total() > 0) return false;
  return deep ? verifyProjections(terminal, [], { all: true, ...(json && { json }) }) : true;
};
