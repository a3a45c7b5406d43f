import { createLeakyBucket } from '../../lib/leaky-bucket.ts';
import { using } from '../../lib/using.ts';
import { openConcurrentEventLog, type EventStoreSettings } from '../../stores.ts';
import type { TaskCallbacks } from '../../lib/task-with-progress.ts';
import { maskBy } from '../moment/mask.ts';
import { exportHistory, type ExportRequest } from './export.ts';
import { historyEventSourceOf, type HistoryEventSource } from '../moment/history-event-source.ts';
import type { ExportManifest } from './manifest.ts';
import { createNdjsonWriterFactory } from './ndjson.ts';

/** An export as NDJSON. */
export interface NdjsonExportRequest extends ExportRequest {
  readonly directory: string;
  /** Events a second; Infinity is no limit. */
  readonly perSecond: number;
}

/** One of the stores; plain data, so that a thread can be given it. */
export interface ExportTaskInput extends NdjsonExportRequest {
  readonly eventStore: EventStoreSettings;
  /** Of the masks; undefined for an export with personal data. */
  readonly maskSecret: string | undefined;
}

export type ExportProgress =
  /** How many events are read, and of how many, about, if that is known. */
  | { readonly kind: 'read'; readonly events: number; readonly of: number | undefined }
  /** The masks of the export were of another scheme. */
  | { readonly kind: 'anew' };

/** Exports as NDJSON. @throws DomainError; the signal's reason where it is aborted */
export const exportNdjson = (
  source: HistoryEventSource,
  { directory, form, code, to, perSecond }: NdjsonExportRequest,
  { signal, onProgress }: Omit<TaskCallbacks<ExportProgress>, 'onDropped'>,
): Promise<ExportManifest> => {
  const writing = createNdjsonWriterFactory(source, {
    types: form.types,
    upTo: to.position,
    signal,
    throttle: createLeakyBucket(() => perSecond, signal),
    onRead: (events, of) => onProgress({ kind: 'read', events, of }),
  });
  const onRestart = () => onProgress({ kind: 'anew' });
  return exportHistory(source, writing, directory, { form, code, to }, { signal, onRestart });
};

/** Exports the event log of the stores on the calling thread. @throws as `exportNdjson` */
export const exportNdjsonFromStores = (
  { eventStore, maskSecret, ...order }: ExportTaskInput,
  { onDropped, ...exporting }: TaskCallbacks<ExportProgress>,
): Promise<ExportManifest> =>
  using(openConcurrentEventLog(eventStore, onDropped), (log) =>
    exportNdjson(historyEventSourceOf(log, maskBy(maskSecret)), order, exporting),
  );
