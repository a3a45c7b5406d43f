import { createLeakyBucket } from '../../lib/leaky-bucket.ts';
import { using } from '../../lib/using.ts';
import { openLog, type EventStoreSettings } from '../../stores.ts';
import type { Doing } from '../threads/ordered.ts';
import { maskBy } from '../moment/mask.ts';
import type { EventsMeant } from '../moment/moment.ts';
import { exportHistory } from './export.ts';
import { shownLogOf } from '../find/shown-log.ts';
import type { ExportForm } from './form.ts';
import type { ExportManifest } from './manifest.ts';
import { ndjsonWriting } from './ndjson.ts';

/** What an export as NDJSON is of; plain data, so that a thread can be given it. */
export interface ExportOrder {
  readonly eventStore: EventStoreSettings;
  readonly directory: string;
  readonly form: ExportForm;
  /** Of the masks; undefined for an export with personal data. */
  readonly maskSecret: string | undefined;
  readonly code: string;
  readonly to: EventsMeant;
  /** Events a second; Infinity is no limit. */
  readonly perSecond: number;
}

export type ExportNews =
  /** How many events are read, and of how many, about, if that is known. */
  | { readonly kind: 'read'; readonly events: number; readonly of: number | undefined }
  /** The masks of the export were of another scheme. */
  | { readonly kind: 'anew' };

/** Exports as NDJSON on the calling thread. @throws DomainError; the signal's reason where it is aborted */
export const exportHere = (
  { eventStore, directory, form, maskSecret, code, to, perSecond }: ExportOrder,
  { signal, onNews, onDropped }: Doing<ExportNews>,
): Promise<ExportManifest> =>
  using(openLog(eventStore, onDropped), (log) => {
    const mask = maskBy(maskSecret);
    const source = shownLogOf(log, mask);
    const writing = ndjsonWriting(source, {
      types: form.types,
      upTo: to.position,
      signal,
      throttle: createLeakyBucket(() => perSecond, signal),
      onRead: (events, of) => onNews({ kind: 'read', events, of }),
    });
    const asked = { form, shownAs: mask, code, to };
    return exportHistory(source, writing, directory, asked, {
      signal,
      onRestart: () => onNews({ kind: 'anew' }),
    });
  });
