import { analyst } from '../../access/access.ts';
import { object } from '../../schema/schema.ts';
import { allRows } from '../moment/all-rows.ts';
import { historyReadModel } from '../moment/history-read-models.ts';
import { LINES } from './headers.ts';
import { anyObject } from '../moment/event.ts';
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
  access: analyst,
  params: object({ readModel: ReadModelName }),
  parameters: atParameters,
  media: LINES,
  answer: anyObject('As the query of the read model answers it, with the partition that it is of.'),
  async open({ params: { readModel }, parameters }, opened, signal) {
    const upTo = await requestedMoment(opened, parameters);
    const options = { mask: opened.mask, signal };
    return { upTo, lines: oneByOne(allRows(opened.source.log, historyReadModel(readModel), upTo, options)) };
  },
});
