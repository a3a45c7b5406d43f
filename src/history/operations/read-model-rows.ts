import { analystAccess } from '../../access/access.ts';
import { object } from '../../schema/schema.ts';
import { readModelRowsAt } from '../moment/all-rows.ts';
import { requireHistoryReadModel } from '../moment/history-read-models.ts';
import { NDJSON_MEDIA_TYPE } from './headers.ts';
import { createAnyObjectSchema } from '../moment/history-event.ts';
import { defineLinesOperation } from './operation.ts';
import { atParameters, requestedMoment, ReadModelName } from './shapes.ts';

async function* oneByOne<Row>(batches: AsyncIterable<readonly Row[]>): AsyncGenerator<Row, void, undefined> {
  for await (const batch of batches) yield* batch;
}

export const getReadModelRows = defineLinesOperation({
  name: 'getReadModelRows',
  summary: 'Show all rows of a read model as they were answered at a moment',
  command: 'sql',
  path: '/history/read-models/:readModel',
  access: analystAccess,
  params: object({ readModel: ReadModelName }),
  parameters: atParameters,
  media: [NDJSON_MEDIA_TYPE],
  answer: createAnyObjectSchema('As the query of the read model answers it, with the partition that it is of.'),
  async open({ params: { readModel }, parameters }, opened, signal) {
    const upTo = await requestedMoment(opened, parameters);
    const options = { mask: opened.mask, signal };
    return {
      upTo,
      lines: oneByOne(readModelRowsAt(opened.source.log, requireHistoryReadModel(readModel), upTo, options)),
    };
  },
});
