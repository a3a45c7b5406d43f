import type { LeftOut } from '../../history/moment/at.ts';
import type { Cause } from '../../history/moment/fold.ts';
import type { Path } from '../../history/moment/members.ts';
import {
  maskedAnswer,
  shownReadModel,
  type PartitionAnswer,
  type ShownReadModel,
} from '../../history/moment/shown.ts';
import type { Json, JsonObject } from '../../schema/json.ts';
import { oneLine } from './cli-error.ts';
import { codeVersion } from './code-version.ts';
import { refusing, withHistory, type OpenedHistory } from './history.ts';
import type { PersonalOptions } from './personal-data.ts';
import { shortCell } from './table.ts';
import type { Terminal } from './terminal.ts';

/** What `at`, `diff` and `explain` have in common: a moment of a read model. */

interface OpenedReadModel extends OpenedHistory {
  readonly readModel: ShownReadModel;
  /** An answer as it may be shown. */
  readonly shown: (answer: PartitionAnswer) => PartitionAnswer;
  /** The same for one row. */
  readonly shownRow: (row: JsonObject) => JsonObject;
}

/** What is asked for. */
interface Asked {
  readonly command: 'at' | 'diff' | 'explain';
  readonly readModel: string;
  /** A partition or a row. */
  readonly of: string;
}

/**
 * Looks into the history of a read model, beside the service that may be running.
 *
 * @throws CliError for what is refused
 */
export const withHistoryOf = async <T>(
  terminal: Terminal,
  { command, readModel: name, of }: Asked,
  options: PersonalOptions,
  look: (opened: OpenedReadModel) => Promise<T>,
): Promise<T> => {
  const readModel = refusing(() => shownReadModel(name));
  return withHistory(terminal, { command, parameters: { readModel: name, of } }, options, (opened) => {
    const shown = (answer: PartitionAnswer) => maskedAnswer(readModel, answer, opened.mask);
    return look({
      ...opened,
      readModel,
      shown,
      shownRow: (row) => shown({ rows: [row], beside: {} }).rows[0] ?? row,
    });
  });
};

/** What an answer was made from: asked again with the same positions, it is the same. */
const madeFrom = ({ name, projection }: ShownReadModel) => ({
  readModel: name,
  projection: `${projection.name}@${projection.version}`,
  code: codeVersion(),
});

/** A value in a table. */
export const cellOf = (value: Json | undefined): string => {
  if (value === undefined || value === null) return '-';
  return shortCell(typeof value === 'object' ? JSON.stringify(value) : String(value));
};

export const memberName = (path: Path): string => path.join('.');

export const CAUSE_HEADINGS: readonly string[] = ['event', 'position', 'recorded at', 'actor', 'request'];
export const causeCells = ({ type, position, recordedAt, actor, requestId }: Cause): readonly string[] => [
  type,
  position,
  recordedAt,
  actor,
  requestId,
];

/** Lines about streams that are shown only in part; none where all is. */
const leftOutText = (leftOut: readonly LeftOut[]): string =>
  leftOut
    .map(
      ({ stream, revision, position, reason }) =>
        `left out: ${stream} from its event ${revision} on, at ${position}: ${oneLine(reason)}\n`,
    )
    .join('');

/** An answer in both of its forms. */
export interface MomentAnswer {
  /** As JSON, without what it was made from. */
  readonly asJson: () => object;
  /** What it shows, and of when. */
  readonly title: string;
  readonly text: () => string;
  readonly leftOut: readonly LeftOut[];
}

/** Writes an answer, which names what it was made from. */
export const writeMomentAnswer = (
  { stdout }: Pick<Terminal, 'stdout'>,
  readModel: ShownReadModel,
  json: true | undefined,
  { asJson, title, text, leftOut }: MomentAnswer,
): void => {
  const made = madeFrom(readModel);
  if (json) stdout.write(`${JSON.stringify({ ...made, ...asJson(), leftOut }, null, 2)}\n`);
  else
    stdout.write(
      `${title}, by ${made.projection} of version ${made.code}\n\n${text()}${leftOutText(leftOut)}`,
    );
};
