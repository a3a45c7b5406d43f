import type { CauseShown, LeftOutShown } from '../../history/operations/shapes.ts';
import { csvCell } from '../../history/warehouse/csv.ts';
import type { Json } from '../../schema/json.ts';
import { oneLine } from './cli-error.ts';
import type { From } from './from.ts';
import type { PersonalOptions } from './personal-data.ts';
import { shortCell, tableLines, type Screen } from './table.ts';
import type { Terminal } from './terminal.ts';
import { print, printJson, printPieces } from './print.ts';

/** What questions about moments are asked with, and how `at`, `diff` and `explain` show the answers. */

export interface AskedAt extends PersonalOptions {
  readonly from?: From;
  /** Left out: now. */
  readonly at?: string;
  readonly upTo?: string;
  readonly json?: true;
}

/** Of a question whose answer has rows. */
export interface RowsAtOptions extends Omit<AskedAt, 'json'> {
  readonly output: AnswerOutput;
}

export const answerOutputs = ['table', 'csv', 'json'] as const;
export type AnswerOutput = (typeof answerOutputs)[number];

const textOf = (value: Json): string => (typeof value === 'object' ? JSON.stringify(value) : String(value));

/** A value in a table. */
export const cellOf = (value: Json | undefined, screen: Screen): string =>
  value === undefined || value === null ? '-' : shortCell(textOf(value), screen);

/** What an answer has in rows; undefined where there is no value. */
export interface AnswerRows {
  readonly headings: readonly string[];
  readonly rows: readonly (readonly (Json | undefined)[])[];
}

const rowsTable = ({ headings, rows }: AnswerRows, screen: Screen): readonly string[] =>
  tableLines(
    { headings, rows: rows.map((row) => row.map((value) => cellOf(value, screen))), rightAligned: [] },
    screen,
  );

const csvValue = (value: Json | undefined): string =>
  csvCell(
    value === undefined || value === null ? null : textOf(value),
    typeof value === 'number' ? 'DOUBLE' : 'VARCHAR',
  );

/** The lines of CSV, none of rows without columns. */
function* rowsCsv({ headings, rows }: AnswerRows): Generator<string, void, undefined> {
  if (headings.length > 0) for (const row of [headings, ...rows]) yield `${row.map(csvValue).join(',')}\r\n`;
}

export const CAUSE_HEADINGS: readonly string[] = ['event', 'position', 'recorded at', 'actor', 'request'];
export const causeCells = ({
  type,
  position,
  recordedAt,
  actor,
  requestId,
}: CauseShown): readonly string[] => [type, position, recordedAt, actor, requestId];

/** Lines about streams that are shown only in part; none where all is. */
const leftOutLines = (leftOut: LeftOutShown): readonly string[] =>
  leftOut.map(
    ({ stream, revision, position, reason }) =>
      `left out: ${stream} from its event ${revision} on, at ${position}: ${oneLine(reason)}`,
  );

interface MomentAnswer {
  readonly projection: string;
  readonly code: string;
  readonly withheld: readonly string[];
  readonly leftOut: LeftOutShown;
}

/** Writes an answer as JSON, as CSV, which has its title on standard error, or as a title and a table. */
export const writeMomentAnswer = async (
  { stdout, stderr }: Pick<Terminal, 'stdout' | 'stderr'>,
  answer: MomentAnswer,
  output: AnswerOutput,
  shown: AnswerRows & {
    readonly title: string;
    /** In the place of a table without rows. */
    readonly none: string;
    readonly below?: readonly string[];
  },
): Promise<void> => {
  const { projection, code, withheld, leftOut } = answer;
  const title = `${shown.title}, by ${projection} of version ${code}`;
  switch (output) {
    case 'json':
      printJson(stdout, answer, 2);
      return;
    case 'csv':
      await printPieces(stdout, rowsCsv(shown), true);
      print(stderr, [title, ...leftOutLines(leftOut)]);
      return;
    case 'table':
      print(stdout, [
        title,
        '',
        ...(shown.rows.length > 0 ? rowsTable(shown, stdout) : [shown.none]),
        ...(shown.below ?? []),
        ...(withheld.length > 0 ? [`withheld: ${withheld.join(', ')}`] : []),
        ...leftOutLines(leftOut),
      ]);
  }
};
