import { InvalidArgumentError } from 'commander';
import type { Config } from '../../config/config.ts';
import type { LeftOut } from '../../history/moment/at.ts';
import type { Cause } from '../../history/moment/fold.ts';
import { maskBy, noMask, type Mask } from '../../history/moment/mask.ts';
import type { Path } from '../../history/moment/members.ts';
import { momentOf, type Moment, type MomentAsked } from '../../history/moment/moment.ts';
import {
  maskedAnswer,
  shownReadModel,
  type PartitionAnswer,
  type ShownReadModel,
} from '../../history/moment/shown.ts';
import type { HistorySource } from '../../history/moment/streams.ts';
import type { Json, JsonObject } from '../../schema/json.ts';
import type { StoreSettings } from '../../stores.ts';
import { asCliError, auditedIn } from './audit.ts';
import { oneLine } from './cli-error.ts';
import { codeVersion } from './code-version.ts';
import { openHistory, refuseWithoutLog } from './history-source.ts';
import { reasonFor, type PersonalOptions } from './personal-data.ts';
import { shortCell } from './table.ts';
import { configOf, type Terminal } from './terminal.ts';
import { instant } from './values.ts';

/** What `at`, `diff` and `explain` have in common: a moment of a read model. */

/** Reads the value of an option that names a moment. @throws InvalidArgumentError */
export const moment = (text: string): MomentAsked => {
  if (/^\d+(?:\/\d+)?$/.test(text)) return { kind: 'position', position: text };
  try {
    return { kind: 'time', time: instant(text) };
  } catch {
    throw new InvalidArgumentError(
      'It must be a position, a day in UTC or an RFC 3339 time with its zone, like 2026-03-01 or 2026-03-01T09:30:00Z.',
    );
  }
};

export const now: MomentAsked = { kind: 'now' };

interface OpenedReadModel {
  readonly source: HistorySource;
  readonly readModel: ShownReadModel;
  /** An answer as it may be shown. */
  readonly shown: (answer: PartitionAnswer) => PartitionAnswer;
  /** The same for one row. */
  readonly shownRow: (row: JsonObject) => JsonObject;
  /** Finds the moment that an option names. */
  readonly momentOf: (asked: MomentAsked) => Promise<Moment>;
}

/** What is asked for, as the audit records it where personal data is shown. */
interface Asked {
  readonly command: 'at' | 'diff' | 'explain';
  readonly readModel: string;
  /** A partition or a row. */
  readonly of: string;
}

/**
 * Gives the mask to `look`; none where personal data is asked for, which is recorded first.
 *
 * @throws CliError for personal data without a reason
 */
const masked = <T>(
  { stores, codeSecret }: Config,
  { command, readModel, of }: Asked,
  options: PersonalOptions,
  look: (mask: Mask) => Promise<T>,
): Promise<T> => {
  const reason = reasonFor(options);
  if (reason === undefined) return look(maskBy(codeSecret));
  const parameters = { command: `history ${command}`, readModel, of, reason };
  return auditedIn(stores.eventStore)({ operation: 'personal-data', parameters }, () => look(noMask));
};

const looking = async <T>(
  terminal: Terminal,
  stores: StoreSettings,
  readModel: ShownReadModel,
  mask: Mask,
  look: (opened: OpenedReadModel) => Promise<T>,
): Promise<T> => {
  const shown = (answer: PartitionAnswer) => maskedAnswer(readModel, answer, mask);
  const source = await openHistory(terminal, stores);
  try {
    return await look({
      source,
      readModel,
      shown,
      shownRow: (row) => shown({ rows: [row], beside: {} }).rows[0] ?? row,
      momentOf: (asked) => momentOf(source.log, asked),
    });
  } finally {
    await source.close();
  }
};

/**
 * Looks into the history of a read model, beside the service that may be running.
 *
 * @throws CliError for what is refused
 */
export const withHistoryOf = async <T>(
  terminal: Terminal,
  asked: Asked,
  options: PersonalOptions,
  look: (opened: OpenedReadModel) => Promise<T>,
): Promise<T> => {
  try {
    const readModel = shownReadModel(asked.readModel);
    const config = configOf(terminal);
    refuseWithoutLog(config.stores);
    return await masked(config, asked, options, (mask) =>
      looking(terminal, config.stores, readModel, mask, look),
    );
  } catch (error) {
    throw asCliError(error);
  }
};

/** What an answer was made from: asked again with the same positions, it is the same. */
const madeFrom = ({ name, projection }: ShownReadModel) => ({
  readModel: name,
  projection: `${projection.name}@${projection.version}`,
  code: codeVersion(),
});

/** A moment in words. */
export const momentText = ({ position, recordedAt }: Moment): string =>
  recordedAt === null ? `position ${position}` : `position ${position} (${recordedAt})`;

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
