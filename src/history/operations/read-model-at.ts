import { Type } from '../../schema/typebox.ts';
import { analystAccess } from '../../access/access.ts';
import { object } from '../../schema/schema.ts';
import { partitionAnswerAt } from '../moment/partition-at.ts';
import { leavesOf } from '../moment/member-paths.ts';
import { Moment, momentText } from '../moment/moment.ts';
import { requireHistoryReadModel, withheldFromAnswer } from '../moment/history-read-models.ts';
import { AnyObject, createAnyObjectSchema } from '../moment/history-event.ts';
import { defineHistoryOperation } from './operation.ts';
import {
  atParameters,
  readModelProvenanceOf,
  readModelAnswerSchema,
  memberName,
  requestedMoment,
  PartitionId,
  ReadModelName,
  refuseUnknownPartition,
  toPrintableRows,
} from './shapes.ts';

export const getReadModelAt = defineHistoryOperation({
  name: 'getReadModelAt',
  summary: 'Show the rows of a read model as they were answered at a moment',
  command: 'at',
  path: '/history/read-models/:readModel/:partition',
  access: analystAccess,
  refusals: ['not-found'],
  params: object({ readModel: ReadModelName, partition: PartitionId }),
  parameters: atParameters,
  answer: readModelAnswerSchema('ReadModelAt', {
    ...Moment.properties,
    rows: Type.Array(AnyObject, { description: 'As the query of the read model answers them.' }),
    beside: createAnyObjectSchema('What stands beside the rows in the answer of the query, such as a summary.'),
  }),
  async ask({ params: { readModel: name, partition }, parameters }, opened) {
    const readModel = requireHistoryReadModel(name);
    const moment = await requestedMoment(opened, parameters);
    const { source, mask } = opened;
    const { rows, beside, leftOut } = await partitionAnswerAt(source, readModel, partition, moment, mask);
    if (rows.length === 0) await refuseUnknownPartition(opened, readModel, partition, moment);
    return {
      ...readModelProvenanceOf(readModel),
      partition,
      ...moment,
      rows: [...rows],
      beside,
      withheld: withheldFromAnswer(readModel, mask),
      leftOut,
    };
  },
  rows(answer, show) {
    const { readModel, partition, rows, beside } = answer;
    const shown = rows.map((row) => new Map(leavesOf(row).map(([path, value]) => [memberName(path), value])));
    // A column for each member of any row.
    const headings = [...new Set(shown.flatMap((row) => [...row.keys()]))];
    const table = { headings, rows: shown.map((row) => headings.map((name) => row.get(name))), none: 'no rows' };
    const extra = leavesOf(beside).filter(([path]) => path.length > 0);
    return toPrintableRows(answer, `${readModel} of ${partition} at ${momentText(answer)}`, table, [
      '',
      ...extra.map(([path, value]) => `${memberName(path)}: ${show(value)}`),
    ]);
  },
});
