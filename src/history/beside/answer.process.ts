/**
 * The process that answers one question from the warehouse's file. It has no keys and an empty environment, and writes the
 * answer to its standard output, which is a file.
 */
import { appendFileSync } from 'node:fs';
import { inChildProcess } from '../../lib/child-process.ts';
import { lowerProcessPriority } from '../../lib/process-priority.ts';
import { asOfFile } from '../warehouse/duckdb.ts';
import { answerers, MAX_BYTES, tooManyBytes, type AnswererContext } from './answerers.ts';
import type { Moment } from '../moment/moment.ts';
import { noAnswer } from './no-answer.ts';
import type { WarehouseQuestion } from '../warehouse/questions.ts';
import type { FromAnswerer, ToAnswerer } from './warehouse-messages.ts';

const STANDARD_OUTPUT = 1;

const answer = (question: WarehouseQuestion, context: AnswererContext): Promise<void> => {
  switch (question.kind) {
    case 'statement':
      return answerers.statement(question, context);
    case 'report':
      return answerers.report(question, context);
    case 'measure':
      return answerers.measure(question, context);
  }
};

lowerProcessPriority('low');
await inChildProcess<ToAnswerer, FromAnswerer>(async ({ post, next }) => {
  const asked = await next();
  if (asked.kind !== 'ask') throw new Error('A question was expected');
  const { directory, question } = asked;
  let bytes = 0;
  let maskedConditions: readonly string[] = [];
  try {
    let upTo: Moment | undefined;
    await answer(question, {
      madeAt: (moment) => (upTo = moment),
      directory,
      async prepare(needs) {
        post({ kind: 'needs', ...needs });
        const prepared = await next();
        if (prepared.kind !== 'prepared') throw new Error('A position was expected');
        return prepared.position;
      },
      opened(columns) {
        maskedConditions = columns;
        post({ kind: 'opened' });
      },
      write(piece) {
        bytes += Buffer.byteLength(piece);
        if (bytes > MAX_BYTES) throw tooManyBytes();
        appendFileSync(STANDARD_OUTPUT, piece);
      },
    });
    post({ kind: 'answered', maskedConditions, ...(upTo && { upTo }) });
  } catch (error) {
    post({ kind: 'none', because: noAnswer(asOfFile('of the service', error)) });
  }
});
