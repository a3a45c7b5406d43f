import { InvalidArgumentError } from 'commander';
import type { Config } from '../../config/config.ts';
import type { ActParameters } from '../../domain/audit.ts';
import { maskBy, noMask, type Mask } from '../../history/moment/mask.ts';
import { momentOf, type Moment, type MomentAsked } from '../../history/moment/moment.ts';
import type { HistorySource } from '../../history/moment/streams.ts';
import { asCliError } from './audit.ts';
import { openHistory, refuseWithoutLog } from './history-source.ts';
import { reasonFor, recordingPersonalData, type PersonalOptions } from './personal-data.ts';
import { configOf, type Terminal } from './terminal.ts';
import { instant } from './values.ts';

/** What such an option takes, for its help. */
export const MOMENT = 'a position, a day in UTC or an RFC 3339 time';

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

/** A moment in words. */
export const momentText = ({ position, recordedAt }: Moment): string =>
  recordedAt === null ? `position ${position}` : `position ${position} (${recordedAt})`;

export interface OpenedHistory {
  readonly source: HistorySource;
  /** For what is shown; none where personal data was asked for. */
  readonly mask: Mask;
  /** Finds the moment that an option names. */
  readonly momentOf: (asked: MomentAsked) => Promise<Moment>;
}

/** What is asked for, as the audit records it where personal data is shown. */
interface Asked {
  /** The name after `hiring history`. */
  readonly command: string;
  readonly parameters: ActParameters;
}

/** The result, where it is refused a CliError. */
export const refusing = <T>(act: () => T): T => {
  try {
    return act();
  } catch (error) {
    throw asCliError(error);
  }
};

/**
 * Gives the mask to `look`; none where personal data is asked for, which is recorded first.
 *
 * @throws CliError for personal data without a reason
 */
const masked = <T>(
  { stores, codeSecret }: Config,
  { command, parameters }: Asked,
  options: PersonalOptions,
  look: (mask: Mask) => Promise<T>,
): Promise<T> => {
  const reason = reasonFor(options);
  return recordingPersonalData(
    stores.eventStore,
    reason,
    (because) => ({ command: `history ${command}`, ...parameters, reason: because }),
    () => look(reason === undefined ? maskBy(codeSecret) : noMask),
  );
};

/**
 * Looks into the history, beside the service that may be running.
 *
 * @throws CliError for what is refused
 */
export const withHistory = async <T>(
  terminal: Terminal,
  asked: Asked,
  options: PersonalOptions,
  look: (opened: OpenedHistory) => Promise<T>,
): Promise<T> => {
  try {
    const config = configOf(terminal);
    refuseWithoutLog(config.stores);
    return await masked(config, asked, options, async (mask) => {
      const source = await openHistory(terminal, config.stores);
      try {
        return await look({ source, mask, momentOf: (moment) => momentOf(source.log, moment) });
      } finally {
        await source.close();
      }
    });
  } catch (error) {
    throw asCliError(error);
  }
};
