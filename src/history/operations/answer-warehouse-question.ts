import { createReadStream, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { invalid } from '../../errors/domain-error.ts';
import type { Position } from '../../event-store/port.ts';
import { neverAborted } from '../../lib/never-aborted.ts';
import type { SqlResult } from '../warehouse/sql-result.ts';
import { resultToCsv, resultToJson, resultToJsonLines } from '../warehouse/result-formats.ts';
import type { Moment } from '../moment/moment.ts';
import {
  withRunnableStatement,
  spillDirectoryName,
  withPreparedWarehouse,
  type RunnableStatement,
} from '../warehouse/runnable-statement.ts';
import type { PreparationRequest } from '../warehouse/prepare.ts';
import type { ReportQuestion, StatementQuestion, WarehouseQuestion } from '../warehouse/questions.ts';
import type { WarehouseNeeds } from './warehouse-messages.ts';

/** Rows and bytes of an answer, at most. */
const MAX_ROWS = 100_000;
export const MAX_BYTES = 100_000_000;

/** What a question is answered with. */
interface AnswererContext {
  /** Of the warehouse. */
  readonly directory: string;
  /** Has the warehouse brought up to date, with what is needed. */
  readonly prepare: (needs: WarehouseNeeds) => Promise<Position>;
  /**
   * Tells that the file is open, so that another may take its place.
   *
   * @param maskedConditions the columns of masks that are compared with values
   */
  readonly opened: (maskedConditions: readonly string[]) => void;
  /** Is given the moment of the answer, where it may differ from the position. */
  readonly madeAt: (moment: Moment) => void;
  /** Writes a piece of the answer. */
  readonly write: (piece: string | Uint8Array) => void;
}

const tooMany = (what: string): Error =>
  invalid(`The answer has more than ${what}; a LIMIT, a WHERE or a GROUP BY asks for less`);
const tooManyRows = (): Error => tooMany(`${MAX_ROWS} rows`);
export const tooManyBytesError = (): Error => tooMany(`${MAX_BYTES / 1e6} MB`);
/** How often the size of a file that DuckDB writes is checked. */
const POLL_MS = 100;

/** Refuses an answer with too many rows, so that none that is cut looks complete. */
async function* refusingMany(batches: SqlResult['batches']) {
  let rows = 0;
  for await (const batch of batches) {
    rows += batch.length;
    if (rows > MAX_ROWS) throw tooManyRows();
    yield batch;
  }
}

const rowsOf = async (answer: RunnableStatement, form: 'text' | 'json'): Promise<SqlResult> => {
  const { columns, batches } = await answer.rows(form);
  return { columns, batches: refusingMany(batches) };
};

/** Has the warehouse brought up to date, and makes the directory to spill to. */
const prepared = async (
  { spillTo, ...needs }: PreparationRequest,
  tables: readonly string[],
  { prepare }: AnswererContext,
): Promise<Position> => {
  const position = await prepare({ ...needs, tables });
  mkdirSync(spillTo, { mode: 0o700 });
  return position;
};

/** Answers a statement from the warehouse's file, within bounds. */
const answer = async (
  { statement, upTo: atPosition, timeZone }: StatementQuestion,
  context: AnswererContext,
  use: (answer: RunnableStatement) => Promise<void>,
  // The parent ends this process where an answer takes too long.
  signal = neverAborted,
  parquetFile?: string,
): Promise<void> =>
  withRunnableStatement(
    { directory: context.directory, statement, atPosition, timeZone, parquetFile, isMasked: true, memory: 'statement' },
    (preparation, tables) => prepared(preparation, tables, context),
    signal,
    (open) => {
      context.opened(open.maskedConditions);
      return use(open);
    },
  );

/** Answers a statement with a file of Parquet, which DuckDB writes as a whole. */
const answerWithParquet = async (question: StatementQuestion, context: AnswererContext): Promise<void> => {
  const file = join(context.directory, spillDirectoryName(process.pid), 'answer.parquet');
  const tooLarge = new AbortController();
  const looking = setInterval(() => {
    const { size = 0 } = statSync(file, { throwIfNoEntry: false }) ?? {};
    if (size > MAX_BYTES) tooLarge.abort(tooManyBytesError());
  }, POLL_MS);
  const use = async (open: RunnableStatement): Promise<void> => {
    if ((await open.parquet(MAX_ROWS + 1)) > MAX_ROWS) throw tooManyRows();
    for await (const piece of createReadStream(file)) context.write(piece as Uint8Array);
  };
  try {
    await answer(question, context, use, tooLarge.signal, file);
  } finally {
    clearInterval(looking);
  }
};

/** A page, without personal data. */
const answerReport = async (question: ReportQuestion, context: AnswererContext): Promise<void> => {
  const { directory, opened, write, madeAt } = context;
  // Only a report needs what draws it.
  const { createReportFromWarehouse } = await import('../report/report.ts');
  const { provenance, page } = await withPreparedWarehouse(
    { directory, timeZone: question.timeZone },
    (preparation) => prepared(preparation, [], context),
    (database, position) => {
      opened([]);
      return createReportFromWarehouse(database, position, { ...question, withPersonalData: false }, neverAborted);
    },
  );
  write(page);
  madeAt(provenance.to);
};

/** Answers a question from the warehouse's file alone. */
export const answerWarehouseQuestion = (question: WarehouseQuestion, context: AnswererContext): Promise<void> => {
  const { write } = context;
  switch (question.kind) {
    case 'report':
      return answerReport(question, context);
    case 'measure':
      return answer(question, context, async (open) => {
        const about = { ...question.about, position: open.position };
        write(`${JSON.stringify(about).slice(0, -1)},"rows":`);
        for await (const piece of resultToJson(await rowsOf(open, 'json'))) write(piece);
        write('}');
      });
    case 'statement':
      switch (question.form) {
        case 'lines':
          return answer(question, context, async (open) => {
            for await (const piece of resultToJsonLines(await rowsOf(open, 'json'))) write(piece);
          });
        case 'csv':
          return answer(question, context, async (open) => {
            for await (const piece of resultToCsv(await rowsOf(open, 'text'))) write(piece);
          });
        case 'parquet':
          return answerWithParquet(question, context);
      }
  }
};
