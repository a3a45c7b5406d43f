import type { Static } from '../../schema/typebox.ts';
import { analyst } from '../../access/access.ts';
import { object } from '../../schema/schema.ts';
import type { JsonObject } from '../../schema/json.ts';
import { allRows } from '../moment/all-rows.ts';
import type { Moment } from '../moment/moment.ts';
import { shownReadModel } from '../moment/shown.ts';
import { LINES } from './headers.ts';
import type { HistoryOperationBase, HistoryQuestion, OpenedHistory } from './operation.ts';
import { anyObject, atParameters, requestedMoment, ReadModelName } from './shapes.ts';

const params = object({ readModel: ReadModelName });
export type ReadModelRowsRequest = HistoryQuestion<typeof params, typeof atParameters>;

/** A row, as a line of JSON. */
export const ReadModelRowShown = anyObject(
  'As the query of the read model answers it, with the partition that it is of.',
);
export type ReadModelRowShown = Static<typeof ReadModelRowShown>;

async function* oneByOne(
  batches: AsyncIterable<readonly JsonObject[]>,
): AsyncGenerator<ReadModelRowShown, void, undefined> {
  for await (const batch of batches) yield* batch;
}

export const getReadModelRows = {
  name: 'getReadModelRows',
  summary: 'Show all rows of a read model as they were answered at a moment',
  command: 'sql',
  path: '/history/read-models/:readModel',
  access: analyst,
  params,
  parameters: atParameters,
  media: LINES,
  answer: ReadModelRowShown,
  /** @throws DomainError for a moment that there is not */
  async open(
    { params: { readModel }, parameters }: ReadModelRowsRequest,
    opened: OpenedHistory,
    signal: AbortSignal,
  ): Promise<{ readonly upTo: Moment; readonly rows: AsyncIterable<ReadModelRowShown> }> {
    const upTo = await requestedMoment(opened, parameters);
    const options = { mask: opened.mask, signal };
    const batches = allRows(opened.source.log, shownReadModel(readModel), upTo, options);
    return { upTo, rows: oneByOne(batches) };
  },
} as const satisfies HistoryOperationBase<typeof params, typeof atParameters> & Record<string, unknown>;
