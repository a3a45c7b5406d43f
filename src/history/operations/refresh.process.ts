/**
 * The process that brings the service's warehouse up to date, as often as it is asked. It knows nothing of statements.
 */
import { serveParentProcess } from '../../lib/child-process.ts';
import { lowerProcessPriority } from '../../lib/process-priority.ts';
import { prepareWarehouse, withWarehouseSource } from '../warehouse/prepare.ts';
import { toHistoryError } from './history-error.ts';
import type { RefreshProtocol } from './warehouse-messages.ts';

lowerProcessPriority('low');
serveParentProcess<RefreshProtocol>({
  // It is killed when it is to stop.
  run: (preparation, { signal, post }) =>
    withWarehouseSource(
      preparation,
      () => undefined,
      (source) => prepareWarehouse(source, preparation, { signal, onProgress: post }),
    ).catch((error: unknown) => {
      throw toHistoryError(error);
    }),
});
