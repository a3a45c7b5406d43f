import type { CauseShown, LeftOutShown } from '../../history/operations/shapes.ts';
import type { Json } from '../../schema/json.ts';
import { oneLine } from './cli-error.ts';
import type { From } from './from.ts';
import type { PersonalOptions } from './personal-data.ts';
import { shortCell } from './table.ts';
import type { Terminal } from './terminal.ts';
import { print, printJson } from './print.ts';

/** What questions about moments are asked with, and how `at`, `diff` and `explain` show the answers. */

export interface AskedAt extends PersonalOptions {
  readonly from?: From;
  /** Left out: now. */
  readonly at?: string;
  readonly upTo?: string;
  readonly json?: true;
}

/** A value in a table. */
export const cellOf = (value: Json | undefined): string => {
  if (value === undefined || value === null) return '-';
  return shortCell(typeof value === 'object' ? JSON.stringify(value) : String(value));
};

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

/** Writes an answer as JSON, or as a title and lines. */
export const writeMomentAnswer = (
  { stdout }: Pick<Terminal, 'stdout'>,
  answer: MomentAnswer,
  json: true | undefined,
  { title, lines }: { readonly title: string; readonly lines: () => readonly string[] },
): void => {
  const { projection, code, withheld, leftOut } = answer;
  if (json) printJson(stdout, answer, 2);
  else
    print(stdout, [
      `${title}, by ${projection} of version ${code}`,
      '',
      ...lines(),
      ...(withheld.length > 0 ? [`withheld: ${withheld.join(', ')}`] : []),
      ...leftOutLines(leftOut),
    ]);
};
