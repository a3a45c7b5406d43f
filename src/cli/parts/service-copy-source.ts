import { getReadModelRows } from '../../history/operations/read-model-rows.ts';
import { A_COMMIT } from '../../history/warehouse/refresh.ts';
import type { CopySource } from '../../history/warehouse/copy-source.ts';
import { inBatches } from '../../lib/in-batches.ts';
import { CliError } from './cli-error.ts';
import { linesOfService, type Service } from './history-service.ts';
import { resumed } from './resumed.ts';
import type { ServiceLog } from './service-events.ts';
import { openShownLog } from './service-shown-log.ts';

/** Rows that are taken at a time. */
const A_BATCH = 1_000;

/**
 * A service as what a copy is made from: its events, and the rows of its read models.
 *
 * @param perRequest so many events are asked for by one request
 * @throws CliError where it refuses, cannot be asked, or is of another version
 */
export const openServiceCopySource = async (
  service: Service,
  perRequest = A_COMMIT,
): Promise<CopySource & ServiceLog> => {
  const log = await openShownLog(service, perRequest);
  return {
    ...log,
    head: async () => (await log.momentOf({})).position,
    async *rowsOf({ name }, { at, position: upTo }, { signal }) {
      const question = { params: { readModel: name }, parameters: { upTo, ...(at !== null && { at }) } };
      /** All rows after the first `count`; the order is the same for every request. */
      const linesAfter = async function* (count: number) {
        const found = await linesOfService({ ...service, signal }, getReadModelRows, question);
        log.refuseOther(found);
        if (found.upTo.position !== upTo)
          throw new CliError(
            `${service.url} has answered for the position ${found.upTo.position} instead of ${upTo}`,
          );
        let left = count;
        for await (const line of found.lines) if (left-- <= 0) yield line;
      };
      yield* inBatches(resumed(service.terminal, linesAfter, signal), A_BATCH);
    },
  };
};
