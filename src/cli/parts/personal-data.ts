import type { Command } from 'commander';
import { parsePersonalDataReason } from '../../history/operations/personal-data-act.ts';
import { CliError } from './cli-error.ts';
import type { AroundDamageOption } from './salvage.ts';

export interface PersonalDataOptions extends AroundDamageOption {
  readonly personalData?: true;
  readonly reason?: string;
}

/** Adds the options to a command. */
export const addPersonalDataOptions = (command: Command): Command =>
  command
    .option('--personal-data', 'without masks; needs a --reason')
    .option('--reason <text>', 'why personal data is needed; it is recorded first');

/** Why personal data is asked for; undefined where it is not. @throws CliError for personal data without a reason */
export const personalDataReasonOf = ({ personalData, reason }: PersonalDataOptions): string | undefined => {
  if (!personalData) return undefined;
  if (!reason?.trim()) throw new CliError('--personal-data needs a --reason, which is recorded');
  return parsePersonalDataReason(reason, '--reason');
};
