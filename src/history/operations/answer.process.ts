/**
 * The process that answers one question from the warehouse's file. It has no keys and an empty environment, and writes
 * the answer to its standard output, which is a file.
 */
import { appendFileSync } from 'node:fs';
import { serveParentProcess } from '../../lib/child-process.ts';
import { lowerProcessPriority } from '../../lib/process-priority.ts';
import { toUnusableFileError } from '../warehouse/duckdb.ts';
import { answerWarehouseQuestion, MAX_BYTES, tooManyBytesError } from './answer-warehouse-question.ts';
import type { Moment } from '../moment/moment.ts';
import { toHistoryError } from './history-error.ts';
import type { AnswerProtocol } from './warehouse-messages.ts';

const STANDARD_OUTPUT = 1;

lowerProcessPriority('low');
serveParentProcess<AnswerProtocol>({
  async run({ directory, question }, { post, onMessage }) {
    let bytes = 0;
    let maskedConditions: readonly string[] = [];
    let upTo: Moment | undefined;
    try {
      await answerWarehouseQuestion(question, {
        madeAt: (moment) => (upTo = moment),
        directory,
        prepare(needs) {
          post({ kind: 'needs', ...needs });
          return new Promise(onMessage);
        },
        opened(columns) {
          maskedConditions = columns;
          post({ kind: 'opened' });
        },
        write(piece) {
          bytes += Buffer.byteLength(piece);
          if (bytes > MAX_BYTES) throw tooManyBytesError();
          appendFileSync(STANDARD_OUTPUT, piece);
        },
      });
    } catch (error) {
      throw toHistoryError(toUnusableFileError('of the service', error));
    }
    return { maskedConditions, ...(upTo && { upTo }) };
  },
});
