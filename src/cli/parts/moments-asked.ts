import { momentOf, now, parseMoment, type Moment, type MomentLog } from '../../history/moment/moment.ts';
import { CliError } from './cli-error.ts';

/** The moments between which events are looked at, as options name them. */
export interface MomentsNamed {
  /** Left out: from the first event on. */
  readonly from?: string;
  /** Left out: up to now. */
  readonly to?: string;
}

/**
 * Finds the moments that are named.
 *
 * @throws DomainError for one that there is not
 * @throws CliError where they are the wrong way round
 */
export const momentsAsked = async (
  log: MomentLog,
  named: MomentsNamed,
): Promise<{ readonly from: Moment | null; readonly to: Moment }> => {
  const to = await momentOf(log, named.to === undefined ? now : parseMoment(named.to));
  const from = named.from === undefined ? null : await momentOf(log, parseMoment(named.from));
  if (from && from.position > to.position) throw new CliError(`${from.position} comes after ${to.position}`);
  return { from, to };
};
