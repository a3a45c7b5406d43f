import type { Audited } from '../../audit/audited.ts';
import type { LogConfig } from '../../config/config.ts';
import { admitLog, RefusedLog } from '../../log-identity/admission.ts';
import { examineLog, type LogFinding } from '../../log-identity/examine.ts';
import { noteLost } from '../../log-identity/note-lost.ts';
import { auditedIn } from './audit.ts';
import { print } from './print.ts';
import type { Terminal } from './terminal.ts';

/** What a start would say of an event log and of the builds that are made from it. */
export interface KnownLog {
  readonly finding?: LogFinding;
  readonly warnings: readonly string[];
  /** Why no service could run on it; undefined where one could. */
  readonly refusal?: RefusedLog;
  /** Whether a build was made from another event log. */
  readonly isForeign: (build: string) => boolean;
}

/** Compares an event log as a start does. Where that fails, the command meets the failure itself. */
export const knownLog = async ({ stores, beginning }: LogConfig): Promise<KnownLog> => {
  let isForeign: KnownLog['isForeign'] = () => false;
  try {
    const finding = await examineLog(stores);
    const isOther = finding.comparison.kind === 'other';
    isForeign = (name) => finding.foreign.some(({ build }) => build === name) !== isOther;
    // Only a service begins one at once.
    const { warnings } = admitLog(finding, beginning.kind === 'now' ? { kind: 'on request' } : beginning);
    return { finding, warnings, isForeign };
  } catch (error) {
    return { warnings: [], isForeign, ...(error instanceof RefusedLog && { refusal: error }) };
  }
};

/**
 * Refuses an event log that no service could run on, before a command works on its builds.
 *
 * @throws RefusedLog
 */
export const refuseUnknownLog = async (config: LogConfig): Promise<void> => {
  const { refusal } = await knownLog(config);
  if (refusal) throw refusal;
};

/**
 * The same before a command that may make builds anew: says what a start would, and notes what the event log lacks.
 *
 * @throws RefusedLog
 */
export const useKnownLog = async ({ stderr }: Pick<Terminal, 'stderr'>, config: LogConfig): Promise<void> => {
  const { finding, warnings, refusal } = await knownLog(config);
  if (refusal) throw refusal;
  for (const line of warnings) print(stderr, `hiring: ${line}`);
  if (finding) await noteLost(finding);
};

/** `auditedIn` for acts without such a check before: on an empty event log the act would become its first event. */
export const auditedInKnown =
  (config: LogConfig): Audited =>
  async (...act) => {
    await refuseUnknownLog(config);
    return auditedIn(config.stores.eventStore)(...act);
  };
