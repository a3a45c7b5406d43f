import { Type, type Static } from '../../schema/typebox.ts';
import { analyst } from '../../access/access.ts';
import type { JsonObject } from '../../schema/json.ts';
import { object } from '../../schema/schema.ts';
import { differenceBetween, type RowDifference } from '../moment/diff.ts';
import { valueAt } from '../moment/members.ts';
import { maskedRow, shownReadModel } from '../moment/shown.ts';
import { defineHistoryOperation } from './operation.ts';
import {
  AnyJson,
  AnyObject,
  CauseShown,
  LeftOutShown,
  madeBy,
  madeByOf,
  memberName,
  momentAsked,
  momentParameter,
  MomentShown,
  Partition,
  ReadModelName,
} from './shapes.ts';

const DifferenceShown = Type.Union([
  object({ kind: Type.Literal('added'), id: Type.String(), after: AnyObject, by: CauseShown }),
  object({ kind: Type.Literal('gone'), id: Type.String(), before: AnyObject, by: CauseShown }),
  object({
    kind: Type.Literal('changed'),
    id: Type.String(),
    members: Type.Array(object({ member: Type.String(), from: AnyJson, to: AnyJson, by: CauseShown })),
  }),
]);
export type DifferenceShown = Static<typeof DifferenceShown>;

const shown = (row: RowDifference, show: (row: JsonObject) => JsonObject): DifferenceShown => {
  switch (row.kind) {
    case 'added':
      return { ...row, after: show(row.after) };
    case 'gone':
      return { ...row, before: show(row.before) };
    case 'changed': {
      const { kind, id } = row;
      const [before, after] = [show(row.before), show(row.after)];
      const members = row.members.map(({ path, by }) => ({
        member: memberName(path),
        from: valueAt(before, path) ?? null,
        to: valueAt(after, path) ?? null,
        by,
      }));
      return { kind, id, members };
    }
  }
};

export const getReadModelDifference = defineHistoryOperation({
  name: 'getReadModelDifference',
  summary: 'Show how the rows of a read model differ between two moments, and by which events',
  command: 'diff',
  path: '/history/read-models/:readModel/:partition/difference',
  access: analyst,
  params: object({ readModel: ReadModelName, partition: Partition }),
  parameters: object({
    from: momentParameter('The earlier moment'),
    to: Type.Optional(momentParameter('The later moment; default: now')),
  }),
  answer: object({
    ...madeBy,
    partition: Type.String(),
    from: MomentShown,
    to: MomentShown,
    rows: Type.Array(DifferenceShown),
    leftOut: LeftOutShown,
  }),
  async ask({ params: { readModel: name, partition }, parameters }, opened) {
    const readModel = shownReadModel(name);
    const from = await momentAsked(opened, parameters.from, 'from');
    const to = await momentAsked(opened, parameters.to, 'to');
    const found = await differenceBetween(opened.source, readModel, partition, { from, to });
    const rows = found.rows.map((row) => shown(row, (each) => maskedRow(readModel, each, opened.mask)));
    return { ...madeByOf(readModel), partition, from, to, rows, leftOut: [...found.leftOut] };
  },
});
