import { withTimeout } from '../../lib/with-timeout.ts';
import { oneLineReason } from '../parts/cli-error.ts';

export interface Finding {
  readonly subject: string;
  /** False where a start would fail, the service soon will, or something waits for an operator. */
  readonly isWell: boolean;
  readonly text: string;
  /** Whether a disk does not answer: whoever opens files there would not end. */
  readonly isHung?: true;
}

export const wellFinding = (subject: string, text: string): Finding => ({ subject, isWell: true, text });

/** @param help the command, or whatever else, that helps */
export const badFinding = (subject: string, error: unknown, help?: string): Finding => {
  const reason = oneLineReason(typeof error === 'string' ? new Error(error) : error);
  return { subject, isWell: false, text: help === undefined ? reason : `${reason}; ${help}` };
};

/** Longer than the time-outs of clients of servers, whose own errors say more. */
const MAX_WAIT_MS = 10_000;

/**
 * The findings of a look. That it fails, or takes too long, is a finding as well.
 *
 * @param help what helps after a failure, or a function that finds that out from the error
 */
export const runAsFindings = async (
  subject: string,
  run: () => Promise<Finding | readonly Finding[]>,
  help?: string | ((error: unknown) => Promise<string | undefined>),
): Promise<readonly Finding[]> => {
  try {
    const late = `There was no answer in ${MAX_WAIT_MS / 1_000} s`;
    return [await withTimeout(run(), MAX_WAIT_MS, late)].flat();
  } catch (error) {
    return [badFinding(subject, error, typeof help === 'function' ? await help(error) : help)];
  }
};
