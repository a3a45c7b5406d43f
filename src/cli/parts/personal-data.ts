import type { Command } from 'commander';
import { CliError } from './cli-error.ts';

/** What an analyst asks to see unmasked, and why. */
export interface PersonalOptions {
  readonly personalData?: true;
  readonly reason?: string;
}

/** Adds the options to a command. */
export const withPersonalOptions = (command: Command): Command =>
  command
    .option('--personal-data', 'without masks; needs a --reason')
    .option('--reason <text>', 'why personal data is needed; it is recorded first');

/**
 * Why personal data is asked for; undefined where it is not.
 *
 * @throws CliError for personal data without a reason
 */
export const reasonFor = ({ personalData, reason }: PersonalOptions): string | undefined => {
  if (!personalData) return undefined;
  const given = reason?.trim() ?? '';
  if (given === '') throw new CliError('--personal-data needs a --reason, which is recorded');
  return given;
};
