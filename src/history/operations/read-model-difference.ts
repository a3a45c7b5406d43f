import { Type, type Static } from '../../schema/typebox.ts';
import { analystAccess } from '../../access/access.ts';
import { object } from '../../schema/schema.ts';
import type { Json } from '../../schema/json.ts';
import { diffPartitionBetweenMoments, type RowDifference } from '../moment/diff.ts';
import { valueAtPath } from '../moment/member-paths.ts';
import { Moment, findMomentPair, createMomentFinder, momentText } from '../moment/moment.ts';
import { requireHistoryReadModel, withheldFromRows } from '../moment/history-read-models.ts';
import { AnyObject } from '../moment/history-event.ts';
import { Cause } from '../moment/row-changes.ts';
import { defineHistoryOperation } from './operation.ts';
import {
  AnyJsonSchema,
  betweenParameters,
  CAUSE_HEADINGS,
  causeCells,
  readModelProvenanceOf,
  readModelAnswerSchema,
  memberName,
  momentParameter,
  PartitionId,
  ReadModelName,
  refuseUnknownPartition,
  toPrintableRows,
} from './shapes.ts';

const DifferenceShown = Type.Union(
  [
    object({ kind: Type.Literal('added'), id: Type.String(), after: AnyObject, by: Cause }, { title: 'AddedRow' }),
    object({ kind: Type.Literal('gone'), id: Type.String(), before: AnyObject, by: Cause }, { title: 'GoneRow' }),
    object(
      {
        kind: Type.Literal('changed'),
        id: Type.String(),
        members: Type.Array(
          object(
            { member: Type.String(), from: AnyJsonSchema, to: AnyJsonSchema, by: Cause },
            { title: 'ChangedMember' },
          ),
        ),
      },
      { title: 'ChangedRow' },
    ),
  ],
  { title: 'RowDifference' },
);
type DifferenceShown = Static<typeof DifferenceShown>;

const shown = (row: RowDifference): DifferenceShown => {
  if (row.kind !== 'changed') return row;
  const { kind, id, before, after } = row;
  const members = row.members.map(({ path, by }) => ({
    member: memberName(path),
    from: valueAtPath(before, path) ?? null,
    to: valueAtPath(after, path) ?? null,
    by,
  }));
  return { kind, id, members };
};

export const getReadModelDifference = defineHistoryOperation({
  name: 'getReadModelDifference',
  summary: 'Show how the rows of a read model differ between two moments, and by which events',
  command: 'diff',
  path: '/history/read-models/:readModel/:partition/difference',
  access: analystAccess,
  refusals: ['not-found'],
  params: object({ readModel: ReadModelName, partition: PartitionId }),
  parameters: object({ ...betweenParameters, from: momentParameter('the earlier moment') }),
  answer: readModelAnswerSchema('ReadModelDifference', { from: Moment, to: Moment, rows: Type.Array(DifferenceShown) }),
  async ask({ params: { readModel: name, partition }, parameters }, opened) {
    const readModel = requireHistoryReadModel(name);
    const { source, mask } = opened;
    const { from, to } = await findMomentPair(createMomentFinder(source.log), parameters);
    if (!from) throw new Error('The schema of a difference lets no question pass without its earlier moment');
    const { rows, leftOut } = await diffPartitionBetweenMoments(source, readModel, partition, { from, to }, mask);
    if (rows.length === 0) await refuseUnknownPartition(opened, readModel, partition, to);
    return {
      ...readModelProvenanceOf(readModel),
      partition,
      from,
      to,
      rows: rows.map(shown),
      withheld: withheldFromRows(readModel, mask),
      leftOut,
    };
  },
  rows(answer) {
    const { readModel, partition, from, to } = answer;
    const title = `${readModel} of ${partition} from ${momentText(from)} to ${momentText(to)}`;
    return toPrintableRows(answer, title, {
      headings: ['change', 'row', 'member', 'from', 'to', ...CAUSE_HEADINGS],
      rows: answer.rows.flatMap((row): (Json | undefined)[][] =>
        row.kind === 'changed'
          ? row.members.map((each) => [row.kind, row.id, each.member, each.from, each.to, ...causeCells(each.by)])
          : [[row.kind, row.id, undefined, undefined, undefined, ...causeCells(row.by)]],
      ),
      none: 'no difference',
    });
  },
});
