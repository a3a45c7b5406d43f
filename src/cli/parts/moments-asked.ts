import { momentOf, refuseWrongOrder, type Moment, type MomentLog } from '../../history/moment/moment.ts';

/** The moments between which events are looked at, as options name them. */
export interface MomentsNamed {
  /** Left out: from the first event on. */
  readonly from?: string;
  /** Left out: up to now. */
  readonly to?: string;
}

/** Finds the moment that a text names; left out: now. @throws DomainError or CliError for one that there is not */
export type FindMoment = (text?: string) => Promise<Moment>;

/** Finds moments of an event log. */
export const momentsOf =
  (log: MomentLog): FindMoment =>
  (text) =>
    momentOf(log, text);

/**
 * Finds the moments that are named.
 *
 * @throws DomainError for one that there is not, and where they are the wrong way round
 */
export const momentsAsked = async (
  find: FindMoment,
  named: MomentsNamed,
): Promise<{ readonly from: Moment | null; readonly to: Moment }> => {
  const to = await find(named.to);
  const from = named.from === undefined ? null : await find(named.from);
  if (from) refuseWrongOrder(from, to);
  return { from, to };
};
