import type { CauseShown, LeftOutShown } from '../../history/operations/shapes.ts';
import type { Json } from '../../schema/json.ts';
import { oneLine } from './cli-error.ts';
import type { From } from './from.ts';
import type { PersonalOptions } from './personal-data.ts';
import { shortCell } from './table.ts';
import type { Terminal } from './terminal.ts';

/** What questions about moments are asked with, and how `at`, `diff` and `explain` show the answers. */

export interface AskedAt extends PersonalOptions {
  readonly from?: From;
  /** Left out: now. */
  readonly at?: string;
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
const leftOutText = (leftOut: LeftOutShown): string =>
  leftOut
    .map(
      ({ stream, revision, position, reason }) =>
        `left out: ${stream} from its event ${revision} on, at ${position}: ${oneLine(reason)}\n`,
    )
    .join('');

interface MomentAnswer {
  readonly projection: string;
  readonly code: string;
  readonly withheld: readonly string[];
  readonly leftOut: LeftOutShown;
}

/** Writes an answer as JSON, or as a title and a text. */
export const writeMomentAnswer = (
  { stdout }: Pick<Terminal, 'stdout'>,
  answer: MomentAnswer,
  json: true | undefined,
  { title, text }: { readonly title: string; readonly text: () => string },
): void => {
  const { projection, code, withheld, leftOut } = answer;
  const withheldText = withheld.length > 0 ? `withheld: ${withheld.join(', ')}\n` : '';
  if (json) stdout.write(`${JSON.stringify(answer, null, 2)}\n`);
  else
    stdout.write(
      `${title}, by ${projection} of version ${code}\n\n${text()}${withheldText}${leftOutText(leftOut)}`,
    );
};
