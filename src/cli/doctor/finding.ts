import { withTimeout } from '../../lib/with-timeout.ts';
import { reasonOf } from '../parts/cli-error.ts';

export interface Finding {
  readonly subject: string;
  /** A start fails, the service soon does, or something waits for an operator while this is false. */
  readonly isWell: boolean;
  readonly text: string;
}

export const well = (subject: string, text: string): Finding => ({ subject, isWell: true, text });

/** @param help the command that helps, or what else does */
export const bad = (subject: string, error: unknown, help?: string): Finding => {
  const reason = reasonOf(typeof error === 'string' ? new Error(error) : error);
  return { subject, isWell: false, text: help === undefined ? reason : `${reason}; ${help}` };
};

/** Longer than a server is waited for, whose own failure tells more. */
const MAX_WAIT_MS = 10_000;

/** The findings of a look. One that fails, or takes too long, is a finding as well. */
export const look = async (
  subject: string,
  run: () => Promise<Finding | readonly Finding[]>,
  help?: string,
): Promise<readonly Finding[]> => {
  try {
    const late = `There was no answer in ${MAX_WAIT_MS / 1_000} s`;
    return [await withTimeout(run(), MAX_WAIT_MS, late)].flat();
  } catch (error) {
    return [bad(subject, error, help)];
  }
};
