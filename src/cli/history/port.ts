import type { Static, TObject } from '../../schema/typebox.ts';
import type { Position } from '../../event-store/port.ts';
import type { NdjsonExportRequest, ExportProgress } from '../../history/export/ndjson-export.ts';
import type { ExportManifest } from '../../history/export/manifest.ts';
import type { HistoryEvent } from '../../history/moment/history-event.ts';
import type { FindMoment } from '../../history/moment/moment.ts';
import type { EventSearchParameters } from '../../history/operations/events.ts';
import type { HistoryOperation, HistoryQuestion, LinesAnswer } from '../../history/operations/operation.ts';
import type { TaskCallbacks } from '../../lib/task-with-progress.ts';
import type { WarehouseSource } from '../../history/warehouse/warehouse-source.ts';
import type { PreparationRequest, PreparationProgress } from '../../history/warehouse/prepare.ts';

/** The callbacks of something that takes long. */
type Telling<News> = Omit<TaskCallbacks<News>, 'onDropped'>;

/** The port by which commands ask: the stores, in this process, or a service, over HTTP. */
export interface HistoryPort {
  /** Names it in what is made from it, such as the directory of a warehouse. */
  readonly name: string;
  /** The directory of the copy that is read of a damaged event log; undefined where all of it is read. */
  readonly salvagedIn: string | undefined;
  ask<P extends TObject, Q extends TObject, A extends TObject>(
    operation: HistoryOperation<P, Q, A>,
    question: HistoryQuestion<P, Q>,
  ): Promise<Static<A>>;
  /** Events as they come; `limit` may be Infinity. @returns with the version of the code that reads them */
  find(
    parameters: EventSearchParameters,
    signal: AbortSignal,
  ): Promise<LinesAnswer<HistoryEvent> & { readonly code: string }>;
  readonly momentOf: FindMoment;
  /** @throws CliError for a service of another version, as are the two below */
  log(): Promise<WarehouseSource>;
  /** Brings a warehouse up to date, and makes what a statement names. */
  prepare(preparation: PreparationRequest, preparing: Telling<PreparationProgress>): Promise<Position>;
  /** Exports as NDJSON. */
  exportEvents(
    order: Omit<NdjsonExportRequest, 'perSecond'>,
    exporting: Telling<ExportProgress>,
  ): Promise<ExportManifest>;
}
