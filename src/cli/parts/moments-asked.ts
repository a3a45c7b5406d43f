import { momentOf, refuseWrongOrder, type Moment, type MomentLog } from '../../history/moment/moment.ts';

/** Finds the moment that a text names; left out: now. @throws DomainError or CliError for one that there is not */
export type FindMoment = (text?: string) => Promise<Moment>;

/** Finds moments of an event log. */
export const momentsOf =
  (log: MomentLog): FindMoment =>
  (text) =>
    momentOf(log, text);

/**
 * Finds the moments between which events are looked at.
 *
 * @param after undefined: from the first event on
 * @param upTo undefined: up to now
 * @throws DomainError for one that there is not, and where they are the wrong way round
 */
export const momentsAsked = async (
  find: FindMoment,
  after: string | undefined,
  upTo: string | undefined,
): Promise<{ readonly from: Moment | null; readonly to: Moment }> => {
  const to = await find(upTo);
  const from = after === undefined ? null : await find(after);
  if (from) refuseWrongOrder(from, to);
  return { from, to };
};
