import type { RunAudited } from '../../audit/audited.ts';
import type { EventLogConfig } from '../../config/config.ts';
import { admitLog, LogRefusedError } from '../../log-identity/admit-log.ts';
import { examineLog, type LogFinding } from '../../log-identity/examine.ts';
import { registerLogLoss } from '../../log-identity/register-log-loss.ts';
import { createCliAudit } from './audit.ts';
import { print } from './print.ts';
import type { Terminal } from './terminal.ts';

/** What a start would say of an event log and of the builds that are made from it. */
export interface StartVerdict {
  readonly finding?: LogFinding;
  readonly warnings: readonly string[];
  /** Why no service could run on it; undefined where one could. */
  readonly refusal?: LogRefusedError;
  /** Whether a build was made from another event log. */
  readonly isForeign: (build: string) => boolean;
}

/** Compares an event log as a start does. Where that fails, the command meets the failure itself. */
export const findStartVerdict = async ({ stores, initPolicy }: EventLogConfig): Promise<StartVerdict> => {
  let isForeign: StartVerdict['isForeign'] = () => false;
  try {
    const finding = await examineLog(stores);
    const isOther = finding.comparison.kind === 'other';
    isForeign = (name) => finding.foreign.some(({ build }) => build === name) !== isOther;
    // Only a service begins one at once.
    const { warnings } = admitLog(finding, initPolicy.kind === 'now' ? { kind: 'on request' } : initPolicy);
    return { finding, warnings, isForeign };
  } catch (error) {
    return { warnings: [], isForeign, ...(error instanceof LogRefusedError && { refusal: error }) };
  }
};

/** For commands that work on builds. @throws LogRefusedError for an event log that no service could run on */
export const refuseUnknownLog = async (config: EventLogConfig): Promise<void> => {
  const { refusal } = await findStartVerdict(config);
  if (refusal) throw refusal;
};

/** The same for commands that may make builds anew. Prints what a start would, and notes what the event log lacks. */
export const requireLogAndRecordLoss = async (
  { stderr }: Pick<Terminal, 'stderr'>,
  config: EventLogConfig,
): Promise<void> => {
  const { finding, warnings, refusal } = await findStartVerdict(config);
  if (refusal) throw refusal;
  for (const line of warnings) print(stderr, `hiring: ${line}`);
  if (finding) await registerLogLoss(finding);
};

/** `createCliAudit` with that check: on an empty event log the act would become the first event. */
export const createCheckedCliAudit =
  (config: EventLogConfig): RunAudited =>
  async (...act) => {
    await refuseUnknownLog(config);
    return createCliAudit(config.stores.eventStore)(...act);
  };
