import { Type } from '../../schema/typebox.ts';
import { analyst } from '../../access/access.ts';
import { object } from '../../schema/schema.ts';
import { rowsAt } from '../moment/at.ts';
import { leavesOf } from '../moment/members.ts';
import { Moment, momentText } from '../moment/moment.ts';
import { historyReadModel, withheldFromAnswer } from '../moment/history-read-models.ts';
import { AnyObject, anyObject } from '../moment/event.ts';
import { defineHistoryOperation } from './operation.ts';
import {
  atParameters,
  madeByOf,
  readModelAnswer,
  memberName,
  requestedMoment,
  Partition,
  ReadModelName,
  refuseUnknownPartition,
  rowsView,
} from './shapes.ts';

export const getReadModelAt = defineHistoryOperation({
  name: 'getReadModelAt',
  summary: 'Show the rows of a read model as they were answered at a moment',
  command: 'at',
  path: '/history/read-models/:readModel/:partition',
  access: analyst,
  refusals: ['not-found'],
  params: object({ readModel: ReadModelName, partition: Partition }),
  parameters: atParameters,
  answer: readModelAnswer('ReadModelAt', {
    ...Moment.properties,
    rows: Type.Array(AnyObject, { description: 'As the query of the read model answers them.' }),
    beside: anyObject('What stands beside the rows in the answer of the query, such as a summary.'),
  }),
  async ask({ params: { readModel: name, partition }, parameters }, opened) {
    const readModel = historyReadModel(name);
    const moment = await requestedMoment(opened, parameters);
    const { source, mask } = opened;
    const { rows, beside, leftOut } = await rowsAt(source, readModel, partition, moment, mask);
    if (rows.length === 0) await refuseUnknownPartition(opened, readModel, partition, moment);
    return {
      ...madeByOf(readModel),
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
    const table = {
      headings,
      rows: shown.map((row) => headings.map((name) => row.get(name))),
      none: 'no rows',
    };
    const extra = leavesOf(beside).filter(([path]) => path.length > 0);
    return rowsView(answer, `${readModel} of ${partition} at ${momentText(answer)}`, table, [
      '',
      ...extra.map(([path, value]) => `${memberName(path)}: ${show(value)}`),
    ]);
  },
});
