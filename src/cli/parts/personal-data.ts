import type { Command } from 'commander';
import { personalDataReason } from '../../history/operations/personal-data-act.ts';
import { CliError } from './cli-error.ts';
import type { AroundDamageOption } from './salvage.ts';

export interface PersonalOptions extends AroundDamageOption {
  readonly personalData?: true;
  readonly reason?: string;
}

/** Adds the options to a command. */
export const withPersonalOptions = (command: Command): Command =>
  command
    .option('--personal-data', 'without masks; needs a --reason')
    .option('--reason <text>', 'why personal data is needed; it is recorded first');

/** Why personal data is asked for; undefined where it is not. @throws CliError for personal data without a reason */
export const reasonFor = ({ personalData, reason }: PersonalOptions): string | undefined => {
  if (!personalData) return undefined;
  if (!reason?.trim()) throw new CliError('--personal-data needs a --reason, which is recorded');
  return personalDataReason(reason, '--reason');
};
