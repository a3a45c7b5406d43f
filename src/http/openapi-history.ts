import type { HistoryInterface } from '../history/operations/index.ts';
import { FoundEventShown } from '../history/operations/events.ts';
import {
  CODE_HEADER,
  LINES,
  MASKS_HEADER,
  PAGE,
  POSITION_HEADER,
  REASON_HEADER,
  TIME_HEADER,
} from '../history/operations/headers.ts';
import { ReadModelRowShown } from '../history/operations/read-model-rows.ts';
import type { HistoryOperation, HistoryOperationBase } from '../history/operations/operation.ts';
import { Type, type TObject } from '../schema/typebox.ts';
import { common, errorsOf, header, json, onEveryOperation, parametersOf, shown } from './openapi-parts.ts';

/** The questions about the history in the OpenAPI description. */

const historyQuestion = (operation: HistoryOperationBase<TObject, TObject>) => ({
  ...common(operation),
  parameters: [
    ...parametersOf(operation.params, 'path'),
    ...parametersOf(operation.parameters, 'query'),
    header(
      REASON_HEADER,
      'Of an administrator: why personal data is needed, percent-encoded. It is recorded, and the answer has no masks.',
      Type.String({ maxLength: 1_500 }),
    ),
  ],
});

/** A question about the history that is answered with JSON. */
export const historyOperation = (operation: HistoryOperation) => ({
  ...historyQuestion(operation),
  responses: {
    200: { description: 'Found. Personal data is masked or withheld.', ...json(operation.answer) },
    ...errorsOf(onEveryOperation),
  },
});

const madeFromHeaders = {
  [POSITION_HEADER]: {
    description: 'Up to which events were looked at; with it as `to`, or `at`, the answer is the same again.',
    schema: { type: 'string' },
  },
  [TIME_HEADER]: {
    description: 'When the event there was recorded; left out before the first event.',
    schema: { type: 'string' },
  },
  [CODE_HEADER]: { description: 'The version of the code.', schema: { type: 'string' } },
  [MASKS_HEADER]: {
    description:
      'Tells the scheme of masks, and masks of one secret from those of another; `none` with personal data.',
    schema: { type: 'string' },
  },
};

const historyPieces = (
  operation: HistoryOperationBase<TObject, TObject>,
  type: string,
  schema: unknown,
  description: string,
) => ({
  ...historyQuestion(operation),
  responses: {
    200: { description, headers: madeFromHeaders, content: { [type]: { schema } } },
    ...errorsOf(onEveryOperation),
  },
});

export const historyEventsOperation = (operation: HistoryInterface['events']) =>
  historyPieces(
    operation,
    LINES,
    shown(FoundEventShown),
    'Lines, each an object of JSON; the last is empty, and of those that are followed some are. Personal data is masked or withheld; `withheld` lists members that are.',
  );

export const historyRowsOperation = (operation: HistoryInterface['rows']) =>
  historyPieces(
    operation,
    LINES,
    shown(ReadModelRowShown),
    'Lines, each an object of JSON; the last is empty. Personal data is masked or withheld; `withheld` lists members that are.',
  );

export const historyReportOperation = (operation: HistoryInterface['report']) =>
  historyPieces(
    operation,
    PAGE,
    { type: 'string' },
    'A page of HTML that needs nothing else. Personal data is left out.',
  );
