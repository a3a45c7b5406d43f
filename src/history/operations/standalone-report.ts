import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ConcurrentEventLog } from '../../stores.ts';
import type { Mask } from '../moment/mask.ts';
import type { ReportParameters } from './report.ts';
import type { Report } from '../report/report.ts';
import { warehouseSourceOf } from '../warehouse/warehouse-source.ts';
import { prepareWarehouse } from '../warehouse/prepare.ts';
import { withPreparedWarehouse } from '../warehouse/runnable-statement.ts';

/**
 * Makes a report from a warehouse that is made for it, and deleted afterwards. @throws as `createReportFromWarehouse`
 */
export const createReportFromLog = async (
  log: ConcurrentEventLog,
  mask: Mask,
  parameters: ReportParameters,
  signal: AbortSignal,
): Promise<Report> => {
  // Only a report needs what draws it.
  const { createReportFromWarehouse } = await import('../report/report.ts');
  const directory = mkdtempSync(join(tmpdir(), 'hiring-report-'));
  try {
    return await withPreparedWarehouse(
      { directory, timeZone: parameters.timeZone },
      (preparation) => {
        mkdirSync(preparation.spillTo);
        return prepareWarehouse(warehouseSourceOf(log, mask), preparation, { signal, onProgress: () => undefined });
      },
      (database, position) =>
        createReportFromWarehouse(database, position, { ...parameters, withPersonalData: !mask.isMasked }, signal),
    );
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
};
