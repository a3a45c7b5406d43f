import { findEvents } from './events.ts';
import { getEntityStory } from './entity-story.ts';
import { getEventTypes } from './event-types.ts';
import { answerMeasure, getMeasures } from './measures.ts';
import type { HistoryLinesOperation, HistoryOperation, HistoryOperationBase } from './operation.ts';
import { getReadModelAt } from './read-model-at.ts';
import { getReadModelDifference } from './read-model-difference.ts';
import { getReadModelRows } from './read-model-rows.ts';
import { makeReport } from './report.ts';
import { explainReadModelRow } from './row-explanation.ts';
import { runStatement } from './statements.ts';

/** The questions about the history that have one answer. */
export const singleAnswerOperations: readonly HistoryOperation[] = [
  getEventTypes,
  getEntityStory,
  getReadModelAt,
  getReadModelDifference,
  explainReadModelRow,
  getMeasures,
];

/** Those that are answered line by line. */
export const linesOperations: readonly HistoryLinesOperation[] = [findEvents, getReadModelRows];

/** All that is asked about the history over HTTP, whatever it is answered with. */
export const allHistoryOperations: readonly HistoryOperationBase[] = [
  ...singleAnswerOperations,
  ...linesOperations,
  makeReport,
  answerMeasure,
  runStatement,
];
