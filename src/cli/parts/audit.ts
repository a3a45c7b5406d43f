import { createAudit, ActNotRecordedError, type RunAudited } from '../../audit/audited.ts';
import { osActor } from '../../audit/os-actor.ts';
import { DomainError } from '../../errors/domain-error.ts';
import { unreachableServerMessageOf, openConcurrentEventLog, type EventStoreSettings } from '../../stores.ts';
import { oneLine } from '../../lib/escape-invisible.ts';
import { CliError, oneLineReason } from './cli-error.ts';
import { using } from '../../lib/using.ts';

/** What failed, with what it was caused by, in one line; of a server, only that it does not answer. */
const reasonsOf = (error: Error): string => {
  const silent = unreachableServerMessageOf(error);
  if (silent !== undefined) return silent;
  return error.cause instanceof Error ? `${oneLine(error.message)}: ${reasonsOf(error.cause)}` : oneLineReason(error);
};

const openToRecord = async (settings: EventStoreSettings) => {
  try {
    return await openConcurrentEventLog(settings, () => undefined);
  } catch (error) {
    const failure = 'who does this cannot be recorded, so nothing was done';
    throw new ActNotRecordedError(failure, { cause: error });
  }
};

/**
 * Runs acts of the user at the command line, recorded in an event log beside the service that may be running on it.
 * The event log is open for the time of an act alone.
 */
export const createCliAudit =
  (settings: EventStoreSettings): RunAudited =>
  (act, perform, detailOf) =>
    using(openToRecord(settings), (log) => createAudit(log)({ actor: osActor() })(act, perform, detailOf));

/**
 * What an operator can mend, as one line: a refusal, or that an act could not be recorded.
 *
 * @param ifNotThere the exit code where what is named is not there
 */
export const toCliError = (error: unknown, ifNotThere: 1 | 2 = 2): unknown => {
  if (error instanceof DomainError) return new CliError(error.message, error.reason === 'not-found' ? ifNotThere : 2);
  return error instanceof ActNotRecordedError ? new CliError(reasonsOf(error)) : error;
};
