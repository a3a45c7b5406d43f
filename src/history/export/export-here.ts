import type { Position } from '../../event-store/port.ts';
import { createLeakyBucket } from '../../lib/leaky-bucket.ts';
import { openLog, type EventStoreSettings } from '../../stores.ts';
import { showingBy } from '../moment/showing.ts';
import { exportHistory } from './export.ts';
import { sourceOfLog } from './source.ts';
import type { ExportForm } from './formats.ts';
import type { ExportManifest } from './manifest.ts';

/** What an export is of; plain data, so that a thread can be given it. */
export interface ExportOrder {
  readonly eventStore: EventStoreSettings;
  readonly directory: string;
  readonly form: ExportForm;
  /** Of the masks; undefined for an export with personal data. */
  readonly maskSecret: string | undefined;
  readonly code: string;
  readonly upTo: Position;
  /** Events a second; Infinity is no limit. */
  readonly perSecond: number;
}

export interface ExportingBeside {
  readonly signal: AbortSignal;
  readonly onRead: (events: number, of: number | undefined) => void;
  readonly onDropped: (error: unknown) => void;
}

/** What a thread that exports tells. */
export type ExportMessage =
  | { readonly kind: 'read'; readonly events: number; readonly of: number | undefined }
  /** A subscription was dropped; it resumes by itself. */
  | { readonly kind: 'dropped'; readonly error: unknown }
  | { readonly kind: 'done'; readonly manifest: ExportManifest }
  | { readonly kind: 'refused'; readonly message: string };

/** Exports on the calling thread. @throws DomainError; the signal's reason where it is aborted */
export const exportHere = async (
  { eventStore, directory, form, maskSecret, code, upTo, perSecond }: ExportOrder,
  { signal, onRead, onDropped }: ExportingBeside,
): Promise<ExportManifest> => {
  const log = await openLog(eventStore, onDropped);
  try {
    const showing = showingBy(maskSecret);
    const asked = { form, showing, code, upTo };
    const throttle = createLeakyBucket(() => perSecond, signal);
    return await exportHistory(sourceOfLog(log, showing.mask), directory, asked, {
      signal,
      throttle,
      onRead,
    });
  } finally {
    await log.close();
  }
};
