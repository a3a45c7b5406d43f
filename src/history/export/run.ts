import { createLeakyBucket } from '../../lib/leaky-bucket.ts';
import { using } from '../../lib/using.ts';
import { openLog, type EventStoreSettings } from '../../stores.ts';
import type { TaskCallbacks } from '../../lib/task-with-progress.ts';
import { maskBy, type Masking } from '../moment/mask.ts';
import type { EventsMeant } from '../moment/moment.ts';
import { exportHistory } from './export.ts';
import { logSourceOf, type LogSource } from '../moment/log-source.ts';
import type { ExportForm } from './formats.ts';
import type { ExportManifest } from './manifest.ts';
import { ndjsonWriting } from './ndjson.ts';

/** An export as NDJSON. */
export interface NdjsonExport {
  readonly directory: string;
  readonly form: ExportForm;
  readonly code: string;
  readonly to: EventsMeant;
  /** Events a second; Infinity is no limit. */
  readonly perSecond: number;
}

/** One of the stores; plain data, so that a thread can be given it. */
export interface ExportTaskInput extends NdjsonExport {
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
export const exportEvents = (
  source: LogSource,
  shownAs: Masking,
  { directory, form, code, to, perSecond }: NdjsonExport,
  { signal, onProgress }: Omit<TaskCallbacks<ExportProgress>, 'onDropped'>,
): Promise<ExportManifest> => {
  const writing = ndjsonWriting(source, {
    types: form.types,
    upTo: to.position,
    signal,
    throttle: createLeakyBucket(() => perSecond, signal),
    onRead: (events, of) => onProgress({ kind: 'read', events, of }),
  });
  const asked = { form, shownAs, code, to };
  return exportHistory(source, writing, directory, asked, {
    signal,
    onRestart: () => onProgress({ kind: 'anew' }),
  });
};

/** Exports the event log of the stores on the calling thread. @throws as `exportEvents` */
export const runExport = (
  { eventStore, maskSecret, ...order }: ExportTaskInput,
  { onDropped, ...exporting }: TaskCallbacks<ExportProgress>,
): Promise<ExportManifest> =>
  using(openLog(eventStore, onDropped), (log) => {
    const mask = maskBy(maskSecret);
    return exportEvents(logSourceOf(log, mask), mask, order, exporting);
  });
