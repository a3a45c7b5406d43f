import { Type } from '../../schema/typebox.ts';
import { analystAccess } from '../../access/access.ts';
import { COMPOSITE_IDENTIFIER_PATTERN, object } from '../../schema/schema.ts';
import { explainRow } from '../moment/explain.ts';
import { valueAtPath } from '../moment/member-paths.ts';
import { Moment, momentText } from '../moment/moment.ts';
import { requireHistoryReadModel, withheldFromRows } from '../moment/history-read-models.ts';
import { Cause } from '../moment/row-changes.ts';
import { defineHistoryOperation } from './operation.ts';
import {
  AnyJsonSchema,
  atParameters,
  CAUSE_HEADINGS,
  causeCells,
  readModelProvenanceOf,
  readModelAnswerSchema,
  memberName,
  requestedMoment,
  ReadModelName,
  toPrintableRows,
} from './shapes.ts';

export const explainReadModelRow = defineHistoryOperation({
  name: 'explainReadModelRow',
  summary: 'Show for each member of a row of a read model which event made it what it is',
  command: 'explain',
  path: '/history/read-models/:readModel/rows/:row/explanation',
  access: analystAccess,
  refusals: ['not-found'],
  params: object({
    readModel: ReadModelName,
    row: Type.String({
      pattern: COMPOSITE_IDENTIFIER_PATTERN,
      says: 'must be an identifier, of a saved posting two with %2F between',
      description:
        'The id of the row; of a saved posting `<professional>/<posting>`, over HTTP with %2F for the slash.',
    }),
  }),
  parameters: atParameters,
  answer: readModelAnswerSchema('RowExplanation', {
    id: Type.String(),
    ...Moment.properties,
    members: Type.Array(
      object({ member: Type.String(), value: AnyJsonSchema, by: Cause }, { title: 'ExplainedMember' }),
    ),
  }),
  async ask({ params: { readModel: name, row: id }, parameters }, opened) {
    const readModel = requireHistoryReadModel(name);
    const moment = await requestedMoment(opened, parameters);
    const { source, mask } = opened;
    const { partition, row, leftOut, ...found } = await explainRow(source, readModel, id, moment, mask);
    const members = found.members.map(({ path, by }) => ({
      member: memberName(path),
      value: valueAtPath(row, path) ?? null,
      by,
    }));
    return {
      ...readModelProvenanceOf(readModel),
      partition,
      id,
      ...moment,
      members,
      withheld: withheldFromRows(readModel, mask),
      leftOut,
    };
  },
  rows(answer) {
    const { readModel, id } = answer;
    return toPrintableRows(answer, `${readModel} ${id} at ${momentText(answer)}`, {
      headings: ['member', 'value', ...CAUSE_HEADINGS],
      rows: answer.members.map(({ member, value, by }) => [member, value, ...causeCells(by)]),
      none: 'no members',
    });
  },
});
