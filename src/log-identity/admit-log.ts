import type { LogFinding } from './examine.ts';
import type { ReadModelSettings } from '../stores.ts';
import { toReadModelEvidence } from './seen-by-builds.ts';

/** When an event log begins where there is none. */
export type LogInitPolicy =
  /** With the first event: outside of production. */
  | { readonly kind: 'by itself' }
  /** By `hiring init` alone: in production. */
  | { readonly kind: 'on request' }
  /** At once (EVENT_LOG_INIT). */
  | { readonly kind: 'now' }
  /** It is there, and has this identity (EVENT_LOG_ID). */
  | { readonly kind: 'never'; readonly id: string };

/** A service may not run on the event log that it is configured with; the message is one line for the operator. */
export class LogRefusedError extends Error {}

interface AdmissionDecision {
  /** Whether the start begins an event log. */
  readonly begins: boolean;
  /** For the operator, each of one line. */
  readonly warnings: readonly string[];
  /** What the event log lacks of what builds have seen, in words. */
  readonly lack: string | undefined;
}

const MOUNT = 'mount or restore it';
const NOTHING_DONE = 'nothing was begun, and no read model was emptied';

const placeOfBuild = (readModels: ReadModelSettings, build: string): string =>
  readModels.kind === 'sqlite' ? `${readModels.path}.${build}` : `the build ${build} in READ_MODEL_URL`;
const remedyOfBuild = ({ kind }: ReadModelSettings): string =>
  kind === 'sqlite'
    ? 'move that file of read models elsewhere, and the start builds it anew'
    : 'name the database that belongs to the event log, or an empty one';

/**
 * Decides whether a service may run on an event log.
 *
 * @throws LogRefusedError
 */
export const admitLog = (finding: LogFinding, initPolicy: LogInitPolicy): AdmissionDecision => {
  const { stores, where, first, comparison, lack } = finding;
  if (!first) return admitNone(finding, initPolicy);
  if (initPolicy.kind === 'never' && first.id !== initPolicy.id)
    throw new LogRefusedError(
      `EVENT_LOG_ID is ${initPolicy.id}, and ${where} holds the event log ${first.id}; ` +
        `allowed: the event log ${initPolicy.id}, or EVENT_LOG_ID=${first.id}`,
    );
  const { text, remedy } = finding.evidence ?? toReadModelEvidence(stores.readModels);
  if (comparison.kind === 'other')
    throw new LogRefusedError(
      `${where} holds the event log ${comparison.found}, and ${text} of ${comparison.expected}; ` +
        `${NOTHING_DONE}; put that one there, or, if the other is meant, ${remedy}`,
    );
  const [foreign] = finding.foreign;
  if (foreign)
    throw new LogRefusedError(
      `${where} holds the event log ${first.id}, and ${placeOfBuild(stores.readModels, foreign.build)} was made from ` +
        `${foreign.log}, such as that of another environment; ${NOTHING_DONE}; ${remedyOfBuild(stores.readModels)}`,
    );
  return {
    begins: false,
    lack,
    warnings: [
      ...(lack === undefined
        ? []
        : [
            `${where} is an older state of its event log ${first.id}: ${lack}; put back what belongs to it (its -wal), or restore`,
          ]),
      ...(finding.isUnseen && stores.readModels.kind === 'mongodb'
        ? [
            `${where} holds events, and the database of READ_MODEL_URL has seen none: all read models are built anew there, and pauses of another database do not count; is it the right one?`,
          ]
        : []),
      ...(initPolicy.kind === 'now'
        ? [`EVENT_LOG_INIT is true, and ${where} holds an event log already: is it the right one? Remove the variable`]
        : []),
    ],
  };
};

const admitNone = (
  { stores, where, missing, comparison, evidence }: LogFinding,
  initPolicy: LogInitPolicy,
): AdmissionDecision => {
  const text = missing ?? `${where} holds no events`;
  if (comparison.kind === 'gone' || evidence !== undefined) {
    const { text: found, remedy } = evidence ?? toReadModelEvidence(stores.readModels);
    const expected = comparison.kind === 'gone' ? comparison.expected : undefined;
    throw new LogRefusedError(
      `${text}, and ${found}: the event log${expected === undefined ? '' : ` ${expected}`} is gone; ` +
        `${NOTHING_DONE}; ${MOUNT}, or, if another one is to begin, ${remedy}`,
    );
  }
  switch (initPolicy.kind) {
    case 'never':
      throw new LogRefusedError(
        `EVENT_LOG_ID is ${initPolicy.id}, and ${text}; with it no event log is begun: ${MOUNT}`,
      );
    case 'on request':
      throw new LogRefusedError(
        `${text}: there is no event log, and production begins none by itself; if there was one, ${MOUNT}; ` +
          'otherwise run hiring init once, or start with EVENT_LOG_INIT=true',
      );
    case 'by itself':
    case 'now':
      return { begins: initPolicy.kind === 'now', warnings: [], lack: undefined };
  }
};
