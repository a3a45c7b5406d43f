import type { Command } from 'commander';
import type { LogConfig } from '../../config/config.ts';
import type { ActParameters } from '../../domain/audit.ts';
import { personalDataReason } from '../../history/operations/personal-data-act.ts';
import { refusing } from './audit.ts';
import { CliError } from './cli-error.ts';
import { auditedInKnown } from './known-log.ts';
import type { AroundDamage } from './salvage.ts';

export interface PersonalOptions extends AroundDamage {
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
  return refusing(() => personalDataReason(reason, '--reason'));
};

/** Runs a command; where personal data is asked for, that is recorded first. @param reason as `reasonFor` gives it */
export const recordingPersonalData = <T>(
  config: LogConfig,
  reason: string | undefined,
  parametersOf: (reason: string) => ActParameters,
  run: () => Promise<T>,
): Promise<T> =>
  reason === undefined
    ? run()
    : auditedInKnown(config)({ operation: 'personal-data', parameters: parametersOf(reason) }, run);
