import { getReadModelRows } from '../../history/operations/read-model-rows.ts';
import { A_COMMIT } from '../../history/sql/copy.ts';
import type { CopySource } from '../../history/sql/copy-source.ts';
import { inBatches } from '../../lib/in-batches.ts';
import { isObject, type JsonObject } from '../../schema/json.ts';
import { CliError } from './cli-error.ts';
import { linesOfService } from './history-service.ts';
import { resumed } from './resumed.ts';
import { openShownLog, type ServiceShownLog } from './service-shown-log.ts';
import type { Terminal } from './terminal.ts';

/** Rows that are taken at a time. */
const A_BATCH = 1_000;

/** @throws CliError for a line that is no row */
async function* rowsIn(lines: AsyncIterable<unknown>): AsyncGenerator<JsonObject, void, undefined> {
  for await (const line of lines) {
    if (!isObject(line)) throw new CliError('The service is of another version: a row must be an object');
    // Parsed from JSON.
    yield line as JsonObject;
  }
}

/**
 * A service as what a copy is made from: its events, and the rows of its read models.
 *
 * @param reason why personal data is asked for; undefined where it is not
 * @throws CliError where it refuses, cannot be asked, or is of another version
 */
export const openServiceCopySource = async (
  terminal: Terminal,
  service: string,
  reason: string | undefined,
  signal: AbortSignal,
): Promise<CopySource & Pick<ServiceShownLog, 'showing'>> => {
  const log = await openShownLog(terminal, service, reason, signal, A_COMMIT);
  return {
    ...log,
    head: async () => (await log.momentOf(undefined)).position,
    async *rowsOf({ name }, upTo, { signal: ending }) {
      const question = { params: { readModel: name }, parameters: { at: upTo } };
      /** All rows but so many, which are the same ones whenever they are asked for. */
      const linesAfter = async function* (count: number) {
        const found = await linesOfService(terminal, service, getReadModelRows, question, reason, ending);
        log.refuseOther(found);
        if (found.upTo.position !== upTo)
          throw new CliError(
            `${service} has answered for the position ${found.upTo.position} instead of ${upTo}`,
          );
        let left = count;
        for await (const line of found.lines) if (left-- <= 0) yield line;
      };
      yield* inBatches(rowsIn(resumed(terminal, linesAfter, ending)), A_BATCH);
    },
  };
};
